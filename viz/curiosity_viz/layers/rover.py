"""The rover: a box of its size with an arrow ahead, and the way that it has come."""

from __future__ import annotations

from collections.abc import Iterable

from curiosity_viz.markers import Marker, Point, line_markers
from curiosity_viz.palette import SKY_BLUE, WHITE, faint
from rover_common.geometry.transforms import Transform

NAMES = ('rover', 'path')

BODY_M = (3.0, 2.8, 0.9)  # Curiosity's length and width over its wheels (NASA), height of its deck
ARROW_M = (2.4, 0.35, 0.35)
PATH_WIDTH_M = 0.08


def markers(rover: Transform | None, strokes: Iterable[tuple[Point, ...]]) -> list[Marker]:
    """Body and path; no body while its pose is unknown."""
    return [*(_body(rover) if rover else ()), *_path(strokes)]


def _body(rover: Transform) -> list[Marker]:
    turned = (rover.qx, rover.qy, rover.qz, rover.qw)
    middle = _placed(rover, (0.0, 0.0, BODY_M[2] / 2.0))
    deck = _placed(rover, (0.0, 0.0, BODY_M[2] + ARROW_M[2] / 2.0))
    return [
        Marker('rover', 0, 'cube', faint(WHITE, 0.45), BODY_M, at=middle, turned=turned),
        Marker('rover', 1, 'arrow', SKY_BLUE, ARROW_M, at=deck, turned=turned),
    ]


def _placed(rover: Transform, offset: Point) -> Point:
    x, y, z = rover.rotated(*offset)
    return rover.x + x, rover.y + y, rover.z + z


def _path(strokes: Iterable[tuple[Point, ...]]) -> list[Marker]:
    pieces: list[Marker] = []
    for stroke in strokes:
        pieces += line_markers('path', len(pieces), stroke, PATH_WIDTH_M, SKY_BLUE)
    return pieces
