"""Where pictures were scored: a ball in the score's colour on a pale plate, and the score."""

from __future__ import annotations

from collections.abc import Sequence

from curiosity_viz.markers import Marker, Point, text_marker
from curiosity_viz.palette import WHITE, score_colour
from curiosity_viz.scored_places import Capture

NAMES = ('captures', 'capture_scores')

BALL_M = 0.6
PLATE_M = (0.9, 0.9, 0.06)  # dark violet is hard to see on sand without it
LABEL_M = 0.4
LABEL_AT_M = 0.7


def markers(captures: Sequence[Capture]) -> list[Marker]:
    """Two markers for all places, and a label for each under the place's number."""
    if not captures:
        return []
    balls = tuple(_above(each.at, BALL_M / 2.0) for each in captures)
    plates = tuple(_above(each.at, PLATE_M[2] / 2.0) for each in captures)
    colours = tuple(score_colour(each.score) for each in captures)
    ball = (BALL_M, BALL_M, BALL_M)
    return [
        Marker('captures', 0, 'cubes', WHITE, PLATE_M, points=plates),
        Marker('captures', 1, 'balls', WHITE, ball, points=balls, colours=colours),
        *(_label(each) for each in captures),
    ]


def _label(capture: Capture) -> Marker:
    at = _above(capture.at, LABEL_AT_M)
    text = f'{capture.score:.2f}'
    return text_marker('capture_scores', capture.number, text, at, LABEL_M, WHITE)


def _above(at: Point, height: float) -> Point:
    return at[0], at[1], at[2] + height
