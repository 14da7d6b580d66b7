"""Keep-out zones: a fence around each, its upper edge as a line, and the zone's name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from curiosity_viz.drawable_text import plain
from curiosity_viz.markers import CHUNK, Marker, Point, is_drawable, line_markers, text_marker
from curiosity_viz.palette import VERMILION, faint
from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import area_of

NAMES = ('keep_out', 'keep_out_edge', 'keep_out_name')

MOST_ZONES = 50
MOST_CORNERS = 200
FENCE_M = 0.8
EDGE_M = 0.08
NAME_M = 0.5
LONGEST_NAME = 40
PIECES = MOST_CORNERS // CHUNK + 1  # numbers reserved for the edge of each zone


def drawable_zones(zones: tuple[KeepOutZone, ...]) -> tuple[KeepOutZone, ...]:
    """Return the zones.

    Raises:
        ValueError: They are too much to draw, or out of sight; the sentence has the reason.
    """
    if len(zones) > MOST_ZONES:
        raise ValueError(f'it has {len(zones)} zones, more than {MOST_ZONES}')
    for zone in zones:
        if len(zone.polygon) > MOST_CORNERS:
            raise ValueError(f'a zone has {len(zone.polygon)} corners, more than {MOST_CORNERS}')
        if not all(is_drawable(*corner) for corner in zone.polygon):
            raise ValueError('a corner of a zone is out of sight')
    return zones


def markers(zones: Sequence[KeepOutZone]) -> list[Marker]:
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
