"""Plans a way: directly if that is clear, by the lattice if it is not.

Lengths in m, in the world frame; times in s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
import math

from shapely.geometry import Polygon

from curiosity_adapter.navigation.arcs import Gait, Place, Segment, merged, total_length
from curiosity_adapter.navigation.cost_to_go import CostToGo
from curiosity_adapter.navigation.dubins import ways_round, ways_to, ways_to_point
from curiosity_adapter.navigation.field import Field, Points, Room
from curiosity_adapter.navigation.lattice import Lattice

SAMPLE_M = 0.25
# Shorter pieces cannot be driven precisely; what they miss is made up for later.
SHORTEST_M = 0.1
# A way may end so far from the goal: well within the tolerances of arrival.
NEAR_M = 0.25
NEAR_RAD = 0.1
# Room around start and goal for a full circle to either side.
ROOM_IN_RADII = 2.5


@dataclass(frozen=True)
class Goal:
    """Where to go; `heading` None: any."""

    x: float
    y: float
    heading: float | None = None

    def misses(self, place: Place) -> tuple[float, float]:
        """How far a place is away from the goal, and how far its heading is off, in m and rad."""
        off = 0.0 if self.heading is None else math.remainder(place.yaw - self.heading, math.tau)
        return place.distance(self.x, self.y), abs(off)


@dataclass(frozen=True)
class Plan:
    """A way and how long it takes."""

    segments: tuple[Segment, ...]
    seconds: float

    @property
    def length(self) -> float:
        """Of the way."""
        return total_length(self.segments)


@dataclass(frozen=True)
class NoWay:
    """Why there is no plan; `at_goal`: because nobody may stand at the goal."""

    reason: str
    at_goal: bool = False


@dataclass(frozen=True)
class Survey:
    """What is known of the surroundings, at one moment."""

    obstacles: Points
    zones: tuple[tuple[str, Polygon], ...]
    room: Room


def next_way(
    start: Place, goal: Goal, way: tuple[Segment, ...], survey: Survey, gait: Gait
) -> Plan | NoWay:
    """The way that was planned, as long as it serves from where the rover is; else a new one."""
    field = Field(start, survey.obstacles, survey.zones, survey.room)
    obstruction = field.obstruction(goal.x, goal.y)
    if obstruction:
        return NoWay(f'The goal is too near to {obstruction}', at_goal=True)
    serves = way and near_enough(goal, gait.end(start, way))
    if serves and field.clear(gait.points(start, way, SAMPLE_M)):
        return _plan(way, gait)
    return make_plan(start, goal, field, gait)


def make_plan(start: Place, goal: Goal, field: Field, gait: Gait) -> Plan | NoWay:
    """The way from a place to the goal, or the reason why there is none."""
    direct = _first_clear(start, _ways(start, goal, gait, thorough=True), field, gait)
    if direct is not None:
        return _plan(direct, gait)
    raster = field.raster(*_rectangle(start, goal, gait))
    cost_to_go = CostToGo(raster, goal.x, goal.y)
    if math.isinf(cost_to_go.metres(start.x, start.y)):
        return NoWay('There is no way: obstacles or keep-out zones are all around')

    def seconds_from(place: Place) -> float:
        ways = _ways(place, goal, gait, thorough=False)
        return min((gait.driving_seconds(way) for way in ways), default=0.0)

    def finish_from(place: Place) -> list[Segment] | None:
        if near_enough(goal, place):
            return []
        return _first_clear(place, _ways(place, goal, gait, thorough=False), field, gait)

    way = Lattice(start, gait, raster, cost_to_go, seconds_from, finish_from).search()
    if way is None:
        return NoWay(
            'There is no way: the rover cannot turn narrowly enough between the obstacles or '
            'keep-out zones'
        )
    return _plan(merged(way, SHORTEST_M), gait)


def near_enough(goal: Goal, place: Place) -> bool:
    """Whether a way that ends at the place serves the goal."""
    distance, off = goal.misses(place)
    return distance <= NEAR_M and off <= NEAR_RAD


def _ways(start: Place, goal: Goal, gait: Gait, thorough: bool) -> Iterator[list[Segment]]:
    if goal.heading is not None:
        yield from ways_to(start, Place(goal.x, goal.y, goal.heading), gait)
        return
    yield from ways_to_point(start, goal.x, goal.y, gait)
    if thorough:
        yield from ways_round(start, goal.x, goal.y, gait)


def _first_clear(
    start: Place, ways: Iterable[list[Segment]], field: Field, gait: Gait
) -> list[Segment] | None:
    """The quickest clear way."""
    candidates = [merged(way, SHORTEST_M) for way in ways]
    for way in sorted(candidates, key=gait.seconds):
        if field.clear(gait.points(start, way, SAMPLE_M)):
            return way
    return None


def _plan(segments: Iterable[Segment], gait: Gait) -> Plan:
    segments = tuple(segments)
    return Plan(segments, gait.seconds(segments))


def _rectangle(start: Place, goal: Goal, gait: Gait) -> tuple[float, float, float, float]:
    room = ROOM_IN_RADII * gait.radius_m
    return (
        min(start.x, goal.x) - room,
        min(start.y, goal.y) - room,
        max(start.x, goal.x) + room,
        max(start.y, goal.y) + room,
    )
