"""Plans a path: directly if that is clear, by the lattice if it is not.

Lengths in m, in the world frame; times in s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
import math

from curiosity_navigation.collision_checker import (
    CELL_SLACK_M,
    CollisionChecker,
    Raster,
)
from curiosity_navigation.costmap import Costmap
from curiosity_navigation.dubins import paths_to, paths_to_point
from curiosity_navigation.hybrid_a_star import CostToGo, Lattice
from curiosity_navigation.vehicle_model import SIDES, Segment, VehicleModel, merged, total_length
from rover_common.geometry.planar_motion import Pose2D

SAMPLE_M = 0.25
# Shorter pieces of a direct path are left out: they cannot be driven precisely, and what they miss
# is made up for later.
SHORTEST_M = 0.1
# A path may end so far from the goal: well within the tolerances of arrival. One that is being
# driven may end a little further off: a small correction costs a full circle.
NEAR_M, KEPT_M = 0.25, 0.4
NEAR_RAD, KEPT_RAD = 0.1, 0.15
# Where any heading will do, these are tried besides the best one.
HEADINGS_AT_GOAL = tuple(math.tau * index / 24 for index in range(24))
# So many motions beyond the goal, each so many radii long, must be possible for an exit.
EXIT_PARTS, EXIT_RADII = 5, 0.5
# Room around start and goal for a full circle to either side.
MARGIN_IN_RADII = 2.5


@dataclass(frozen=True)
class NavigationGoal:
    """Where to go; `heading` None: any."""

    x: float
    y: float
    heading: float | None = None

    def misses(self, place: Pose2D) -> tuple[float, float]:
        """How far a place is away from the goal, and how far its heading is off, in m and rad."""
        off = 0.0 if self.heading is None else math.remainder(place.yaw - self.heading, math.tau)
        return place.distance(self.x, self.y), abs(off)


@dataclass(frozen=True)
class Plan:
    """A path and how long it takes."""

    segments: tuple[Segment, ...]
    seconds: float

    @property
    def length(self) -> float:
        """Of the path."""
        return total_length(self.segments)


@dataclass(frozen=True)
class NoPath:
    """Why there is no plan; `at_goal`: because nobody may stand at the goal."""

    reason: str
    at_goal: bool = False


def _never() -> bool:
    return False


def replan(
    start: Pose2D,
    goal: NavigationGoal,
    path: tuple[Segment, ...],
    costmap: Costmap,
    vehicle: VehicleModel,
    cancelled: Callable[[], bool] = _never,
) -> Plan | NoPath:
    """The path that was planned, as long as it serves from where the rover is; else a new one.

    Raises:
        CancelledError: `cancelled` said so; the search asks it again and again.
    """
    narrow = CollisionChecker(start, costmap.obstacles, costmap.zones, costmap.clearance.narrowed)
    obstruction = narrow.obstruction(goal.x, goal.y)
    if obstruction:
        return NoPath(f'The goal is too near to {obstruction}', at_goal=True)
    serves = path and near_enough(goal, vehicle.end(start, path), KEPT_M, KEPT_RAD)
    if serves and narrow.clear(vehicle.poses(start, path, SAMPLE_M)):
        return _plan(path, vehicle)
    field = CollisionChecker(start, costmap.obstacles, costmap.zones, costmap.clearance)
    found = make_plan(start, goal, field, vehicle, cancelled)
    if isinstance(found, NoPath):
        return make_plan(start, goal, narrow, vehicle, cancelled)
    return found


def make_plan(
    start: Pose2D,
    goal: NavigationGoal,
    field: CollisionChecker,
    vehicle: VehicleModel,
    cancelled: Callable[[], bool] = _never,
) -> Plan | NoPath:
    """The path from a place to the goal, or the reason why there is none.

    The rover cannot reverse, so it had better not end with its nose at a rock: paths with an exit
    behind the goal come first. Raises as `replan`.
    """
    headings = HEADINGS_AT_GOAL if goal.heading is None else (goal.heading,)
    ends = (Pose2D(goal.x, goal.y, heading) for heading in headings)
    exits = any(_has_exit(end, field, vehicle) for end in ends)
    found = _Search(start, goal, field, vehicle, cancelled, needs_exit=exits).plan()
    if isinstance(found, NoPath) and exits and goal.heading is None:
        return _Search(start, goal, field, vehicle, cancelled, needs_exit=False).plan()
    return found


class _Search:
    """One search for a path."""

    def __init__(
        self,
        start: Pose2D,
        goal: NavigationGoal,
        field: CollisionChecker,
        vehicle: VehicleModel,
        cancelled: Callable[[], bool],
        needs_exit: bool,
    ) -> None:
        self._start = start
        self._goal = goal
        self._field = field
        self._vehicle = vehicle
        self._cancelled = cancelled
        self._needs_exit = needs_exit

    def plan(self) -> Plan | NoPath:
        """Return the path, or why there is none."""
        start, goal, field = self._start, self._goal, self._field
        direct = self._first_clear(start, thorough=True)
        if direct is not None:
            return _plan(direct, self._vehicle)
        box = _rectangle(start, goal, self._vehicle)
        for slack_m in (CELL_SLACK_M, 0.0):
            self._end_if_cancelled()
            raster = field.raster(box, slack_m)
            cost_to_go = CostToGo(raster, goal.x, goal.y)
            if math.isinf(cost_to_go.metres(start.x, start.y)):
                continue
            path = self._around(raster, cost_to_go)
            if path and field.clear(self._vehicle.poses(start, path, SAMPLE_M)):
                return _plan(merged(path, 0.0), self._vehicle)  # all of what is clear
        if math.isinf(cost_to_go.metres(start.x, start.y)):
            return NoPath('There is no path: obstacles or keep-out zones are all around')
        return NoPath(
            'No path was found: the rover turns too widely for the gaps between obstacles or '
            'keep-out zones'
        )

    def _around(self, raster: Raster, cost_to_go: CostToGo) -> list[Segment] | None:
        lattice = Lattice(
            self._start,
            self._vehicle,
            self._field.footprint,
            raster,
            self._field.clear,
            cost_to_go,
            self._seconds_from,
            self._finish_from,
        )
        return lattice.search()

    def _end_if_cancelled(self) -> None:
        if self._cancelled():
            raise CancelledError

    def _seconds_from(self, place: Pose2D) -> float:
        self._end_if_cancelled()
        paths = self._paths(place, thorough=False)
        return min((self._vehicle.driving_seconds(path) for path in paths), default=0.0)

    def _finish_from(self, place: Pose2D) -> list[Segment] | None:
        if near_enough(self._goal, place) and self._may_end(place):
            return []
        return self._first_clear(place, thorough=False)

    def _paths(self, start: Pose2D, thorough: bool) -> Iterator[list[Segment]]:
        goal, vehicle = self._goal, self._vehicle
        if goal.heading is not None:
            yield from paths_to(start, Pose2D(goal.x, goal.y, goal.heading), vehicle)
            return
        yield from paths_to_point(start, goal.x, goal.y, vehicle)
        if thorough:
            for heading in HEADINGS_AT_GOAL:
                yield from paths_to(start, Pose2D(goal.x, goal.y, heading), vehicle)

    def _first_clear(self, start: Pose2D, thorough: bool) -> list[Segment] | None:
        """The quickest clear path with an end that will do."""
        candidates = [merged(path, SHORTEST_M) for path in self._paths(start, thorough)]
        for path in sorted(filter(None, candidates), key=self._vehicle.seconds):
            clear = self._field.clear(self._vehicle.poses(start, path, SAMPLE_M))
            if clear and self._may_end(self._vehicle.end(start, path)):
                return path
        return None

    def _may_end(self, place: Pose2D) -> bool:
        return not self._needs_exit or _has_exit(place, self._field, self._vehicle)


def near_enough(
    goal: NavigationGoal, place: Pose2D, within_m: float = NEAR_M, within_rad: float = NEAR_RAD
) -> bool:
    """Whether a path that ends at the place serves the goal."""
    distance, off = goal.misses(place)
    return distance <= within_m and off <= within_rad


def _has_exit(
    place: Pose2D, field: CollisionChecker, vehicle: VehicleModel, parts: int = EXIT_PARTS
) -> bool:
    """Whether the rover could drive on from a place for some motions."""
    if parts == 0:
        return True
    for motion in SIDES:
        segment = Segment(motion, EXIT_RADII * vehicle.radius_m)
        if field.clear(vehicle.poses(place, [segment], SAMPLE_M)) and _has_exit(
            vehicle.after(place, segment), field, vehicle, parts - 1
        ):
            return True
    return False


def _plan(segments: Iterable[Segment], vehicle: VehicleModel) -> Plan:
    segments = tuple(segments)
    return Plan(segments, vehicle.seconds(segments))


def _rectangle(
    start: Pose2D, goal: NavigationGoal, vehicle: VehicleModel
) -> tuple[float, float, float, float]:
    margin = MARGIN_IN_RADII * vehicle.radius_m
    return (
        min(start.x, goal.x) - margin,
        min(start.y, goal.y) - margin,
        max(start.x, goal.x) + margin,
        max(start.y, goal.y) + margin,
    )
