"""The path that the adapter drives, with its goal, and its keep-out zones, with their markers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
import math
from typing import TypeVar

from shapely import box, get_parts
from shapely.geometry import Polygon

from curiosity_viz.markers import (
    CHUNK,
    FARTHEST_M,
    PURPLE,
    VERMILION,
    Marker,
    Point,
    faint,
    is_drawable,
    line_markers,
    plain,
    text_marker,
)
from rover_common.config.settings import KeepOutZone
from rover_common.config.settings.keep_out_zone import MOST_CORNERS
from rover_common.geometry.keep_out import area_of
from rover_common.geometry.transforms import Transform

MOST_POINTS = 300

T = TypeVar('T')
NAVIGATION = ('navigation_path', 'navigation_goal')
WIDTH_M = 0.12
LIFT_M = 0.1  # over the bright zone
POST_M = (0.2, 0.2, 1.6)
ARROW_M = (1.5, 0.2, 0.2)
KEEP_OUT = ('keep_out', 'keep_out_edge', 'keep_out_name')
FENCE_M = 0.8
EDGE_M = 0.08
NAME_M = 0.5
LONGEST_NAME = 40
PIECES = MOST_CORNERS // CHUNK + 1  # numbers reserved for the edge of each zone


@dataclass(frozen=True)
class PlannedPath:
    """Points from first to last; the last one is the goal. Empty: nothing is being driven to.

    `heading` is the rover's at the goal, in rad, counterclockwise from the x axis.
    """

    points: tuple[Point, ...] = ()
    heading: float = 0.0


def path_through(places: Sequence[Transform]) -> PlannedPath:
    """The way through these places.

    Raises:
        ValueError: A coordinate is not finite or out of sight.
    """
    if not places:
        return PlannedPath()
    heading = places[-1].yaw
    for number, place in enumerate(places):
        if not is_drawable(place.x, place.y, place.z, heading):
            raise ValueError(
                f'point {number} is ({place.x:g}, {place.y:g}, {place.z:g}) m, '
                f'the heading at the end {heading:g} rad'
            )
    return PlannedPath(tuple((place.x, place.y, place.z) for place in places), heading)


def thinned_out(places: Sequence[T]) -> list[T]:
    """At most `MOST_POINTS` of the places, evenly, the first and the last included."""
    step = -(-(len(places) - 1) // (MOST_POINTS - 1)) or 1
    return [*places[:-1:step], *places[-1:]]


def navigation_markers(path: PlannedPath) -> list[Marker]:
    """Nothing between goals."""
    if not path.points:
        return []
    line = [(x, y, z + LIFT_M) for x, y, z in path.points]
    return [*line_markers('navigation_path', 0, line, WIDTH_M, PURPLE), *_goal(path)]


def _goal(path: PlannedPath) -> list[Marker]:
    x, y, z = path.points[-1]
    middle: Point = (x, y, z + POST_M[2] / 2.0)
    top: Point = (x, y, z + POST_M[2])
    turned = (0.0, 0.0, math.sin(path.heading / 2.0), math.cos(path.heading / 2.0))
    return [
        Marker('navigation_goal', 0, 'cylinder', PURPLE, POST_M, at=middle),
        Marker('navigation_goal', 1, 'arrow', PURPLE, ARROW_M, at=top, turned=turned),
    ]


def is_in_sight(zone: KeepOutZone) -> bool:
    """Whether a zone can be drawn as a whole."""
    return all(is_drawable(*corner) for corner in zone.polygon)


def drawable_zones(zones: Iterable[KeepOutZone]) -> tuple[KeepOutZone, ...]:
    """Return what can be drawn of the zones: of one that reaches out of sight, its parts in it."""
    return tuple(part for zone in zones for part in _parts_in_sight(zone))


def _parts_in_sight(zone: KeepOutZone) -> Iterator[KeepOutZone]:
    if is_in_sight(zone):
        yield zone
        return
    in_sight = box(-FARTHEST_M, -FARTHEST_M, FARTHEST_M, FARTHEST_M)
    for part in get_parts(area_of(zone).intersection(in_sight)):
        if isinstance(part, Polygon) and not part.is_empty:
            yield zone.model_copy(update={'polygon': (*part.exterior.coords[:-1],)})


def keep_out_markers(zones: Sequence[KeepOutZone]) -> list[Marker]:
    """Every zone under its place in the list."""
    return [marker for number, zone in enumerate(zones) for marker in _zone(number, zone)]


def _zone(number: int, zone: KeepOutZone) -> list[Marker]:
    top = [(x, y, FENCE_M) for x, y in (*zone.polygon, zone.polygon[0])]
    fence = tuple(corner for a, b in pairwise(top) for corner in _wall(a, b))
    return [
        Marker(
            'keep_out', number, 'triangles', faint(VERMILION, 0.35), (1.0, 1.0, 1.0), points=fence
        ),
        *line_markers('keep_out_edge', number * PIECES, top, EDGE_M, VERMILION),
        *_name(number, zone),
    ]


def _wall(a: Point, b: Point) -> tuple[Point, ...]:
    """Two triangles from the upper edge a–b down to the ground."""
    low_a, low_b = (a[0], a[1], 0.0), (b[0], b[1], 0.0)
    return a, b, low_a, low_a, b, low_b


def _name(number: int, zone: KeepOutZone) -> list[Marker]:
    text = plain(zone.name, LONGEST_NAME)
    if not text:
        return []
    inside = area_of(zone).representative_point()
    at = (inside.x, inside.y, FENCE_M + NAME_M)
    return [text_marker('keep_out_name', number, text, at, NAME_M, VERMILION)]
