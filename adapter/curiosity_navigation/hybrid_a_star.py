"""Hybrid A*: the path around obstacles, made of the rover's three motions, and its cost to go.

After D. Dolgov, S. Thrun, M. Montemerlo, J. Diebel, "Practical search techniques in path planning
for autonomous driving" (2008). Headings are whole steps of a fixed angle, so they do not drift;
places are exact, and two states in one cell count as the same. Where a clear path by Dubins leads
on to the goal, the search ends. It looks at every state, up to a number of them, and always gives
the same answer; sampling planners (OMPL has some) tell a dead end only by running out of time.

The cost to go is the length of the shortest way around what is blocked, by Dijkstra's search over
a raster. The rover's turning circle is left out, so no path is shorter; a cell that is not
reached says that there is no path at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
import heapq
import itertools
import math

from curiosity_navigation.collision_checker import CELL_M, Footprint, Raster
from curiosity_navigation.vehicle_model import (
    FORWARD,
    LEFT,
    RIGHT,
    SIDES,
    MotionName,
    Poses,
    Segment,
    VehicleModel,
)
from rover_common.geometry.planar_motion import Pose2D

COARSE = 2  # cells of the raster, in each direction, that make one cell here
STEP_M = COARSE * CELL_M
# Eight directions make a path longer by up to this factor than the straight line.
EIGHT_WAYS = 1.0 / math.cos(math.pi / 8.0)
NEIGHBOURS = [(dx, dy, math.hypot(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


class CostToGo:
    """Distance in m from any point of a raster to the goal."""

    def __init__(self, raster: Raster, x: float, y: float) -> None:
        self._raster = raster
        self._columns = (raster.columns + COARSE - 1) // COARSE
        self._rows = (raster.rows + COARSE - 1) // COARSE
        self._distance = [math.inf] * (self._columns * self._rows)
        self._search(self._cell(x, y))

    def metres(self, x: float, y: float) -> float:
        """Not more than the shortest path; infinite if there is none or the point is outside."""
        cell = self._cell(x, y)
        return self._distance[cell] / EIGHT_WAYS if cell >= 0 else math.inf

    def _cell(self, x: float, y: float) -> int:
        column = math.floor((x - self._raster.left) / STEP_M)
        row = math.floor((y - self._raster.bottom) / STEP_M)
        inside = 0 <= column < self._columns and 0 <= row < self._rows
        return row * self._columns + column if inside else -1

    def _search(self, goal: int) -> None:
        free, columns, distance = self._free(), self._columns, self._distance
        distance[goal] = 0.0
        queue = [(0.0, goal)]
        while queue:
            reached, cell = heapq.heappop(queue)
            if reached > distance[cell]:
                continue
            row, column = divmod(cell, columns)
            for dx, dy, steps in NEIGHBOURS:
                if not (0 <= column + dx < columns and 0 <= row + dy < self._rows):
                    continue
                other, far = cell + dy * columns + dx, reached + steps * STEP_M
                if free[other] and far < distance[other]:
                    distance[other] = far
                    heapq.heappush(queue, (far, other))

    def _free(self) -> bytearray:
        """A coarse cell is free if any of its cells is."""
        free = bytearray(self._columns * self._rows)
        raster = self._raster
        for row in range(raster.rows):
            line = raster.blocked[row * raster.columns : (row + 1) * raster.columns]
            at = (row // COARSE) * self._columns
            for column, blocked in enumerate(line):
                if not blocked:
                    free[at + column // COARSE] = 1
        return free


HEADINGS = 48
CELLS_PER_STATE = 2
SAMPLE_M = 0.25
# The direct path to the goal is tried often near to it, seldom far away: every so many states,
# and as many more as there are metres left.
TRY_EVERY = 4
# Expected cost counts more than it is known to be: fewer states, a slightly longer path.
GREED = 1.3
# So near to the start a motion is compared with the obstacles themselves: a rover beside a rock
# stands on the free part of a cell that counts as blocked.
EXACT_M = 3.0
MOST_STATES = 10_000

IsClear = Callable[[Poses], bool]
FinishFrom = Callable[[Pose2D], list[Segment] | None]
SecondsFrom = Callable[[Pose2D], float]


@dataclass(frozen=True)
class _Step:
    """A motion over one step from a certain heading: where it ends and what it passes."""

    motion: MotionName
    heading: int
    dx: float
    dy: float
    seconds: float
    samples: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class _State:
    x: float
    y: float
    heading: int
    motion: MotionName | None
    before: _State | None


class Lattice:
    """The states that can be reached from a start.

    Args:
        start: Where the search begins.
        vehicle: The rover's motions.
        footprint: The discs that must fit.
        raster: What is blocked.
        is_clear: Whether a path, given by its poses, touches nothing of that.
        cost_to_go: Distance to the goal around what is blocked.
        seconds_from: Time to the goal if nothing were blocked.
        finish_from: The direct path from a place to the goal, if it is clear.
    """

    def __init__(
        self,
        start: Pose2D,
        vehicle: VehicleModel,
        footprint: Footprint,
        raster: Raster,
        is_clear: IsClear,
        cost_to_go: CostToGo,
        seconds_from: SecondsFrom,
        finish_from: FinishFrom,
    ) -> None:
        self._start = start
        self._vehicle = vehicle
        self._footprint = footprint
        self._raster = raster
        self._is_clear = is_clear
        self._cost_to_go = cost_to_go
        self._seconds_from = seconds_from
        self._finish_from = finish_from
        self._step_m = vehicle.radius_m * math.tau / HEADINGS
        self._steps = [list(self._steps_from(heading)) for heading in range(HEADINGS)]

    def search(self) -> list[Segment] | None:
        """The path to the goal; None if there is none or it is too hard to find."""
        order = itertools.count()
        first = _State(self._start.x, self._start.y, 0, None, None)
        queue = [(0.0, next(order), 0.0, first)]
        closed: set[tuple[int, int, int]] = set()
        try_in = 0
        while queue and len(closed) < MOST_STATES:
            _, _, spent, state = heapq.heappop(queue)
            key = self._key(state)
            if key in closed:
                continue
            closed.add(key)
            try_in -= 1
            if try_in < 0:
                finish = self._finish_from(self._place(state))
                if finish is not None:
                    return [*self._segments_to(state), *finish]
                try_in = TRY_EVERY + int(self._cost_to_go.metres(state.x, state.y))
            for following, seconds in self._following(state):
                left = self._left(following)
                if math.isfinite(left) and self._key(following) not in closed:
                    cost = spent + seconds
                    heapq.heappush(queue, (cost + GREED * left, next(order), cost, following))
        return None

    def _left(self, state: _State) -> float:
        around = self._cost_to_go.metres(state.x, state.y) / self._vehicle.forward_m_s
        return max(around, self._seconds_from(self._place(state)))

    def _following(self, state: _State) -> Iterator[tuple[_State, float]]:
        for step in self._steps[state.heading]:
            if self._may_follow(state, step):
                change = self._vehicle.change_s if step.motion != state.motion else 0.0
                yield (
                    _State(state.x + step.dx, state.y + step.dy, step.heading, step.motion, state),
                    step.seconds + change,
                )

    def _may_follow(self, state: _State, step: _Step) -> bool:
        if self._start.distance(state.x, state.y) > EXACT_M:
            return self._passes(state.x, state.y, step.samples)
        segment = Segment(step.motion, self._step_m)
        return self._is_clear(self._vehicle.poses(self._place(state), [segment], SAMPLE_M))

    def _passes(self, x: float, y: float, samples: Iterable[tuple[float, float]]) -> bool:
        raster = self._raster
        for dx, dy in samples:
            column = math.floor((x + dx - raster.left) / CELL_M)
            row = math.floor((y + dy - raster.bottom) / CELL_M)
            if not (0 <= column < raster.columns and 0 <= row < raster.rows):
                return False
            if raster.blocked[row * raster.columns + column]:
                return False
        return True

    def _key(self, state: _State) -> tuple[int, int, int]:
        cell = CELLS_PER_STATE * CELL_M
        return math.floor(state.x / cell), math.floor(state.y / cell), state.heading

    def _yaw(self, heading: int) -> float:
        return self._start.yaw + math.tau * heading / HEADINGS

    def _place(self, state: _State) -> Pose2D:
        return Pose2D(state.x, state.y, self._yaw(state.heading))

    def _segments_to(self, state: _State) -> list[Segment]:
        path: list[Segment] = []
        while state.before is not None and state.motion is not None:
            path.append(Segment(state.motion, self._step_m))
            state = state.before
        return path[::-1]

    def _steps_from(self, heading: int) -> Iterator[_Step]:
        origin = Pose2D(0.0, 0.0, self._yaw(heading))
        for motion in (FORWARD, LEFT, RIGHT):
            segment = Segment(motion, self._step_m)
            end = self._vehicle.after(origin, segment)
            passed = self._vehicle.poses(origin, [segment], SAMPLE_M)[1:]
            samples = self._footprint.tracks(passed).reshape(-1, 2).tolist()
            yield _Step(
                motion,
                int(heading + SIDES[motion]) % HEADINGS,
                end.x,
                end.y,
                self._step_m / self._vehicle.speed(motion),
                tuple((dx, dy) for dx, dy in samples),
            )
