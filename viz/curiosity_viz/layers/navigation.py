"""The way that is being driven, and the goal at its end: a post with an arrow for the heading."""

from __future__ import annotations

import math

from curiosity_viz.markers import Marker, Point, line_markers
from curiosity_viz.palette import PURPLE
from curiosity_viz.planned_path import PlannedPath

NAMES = ('navigation_path', 'navigation_goal')

WIDTH_M = 0.12
LIFT_M = 0.1  # over the bright zone
POST_M = (0.2, 0.2, 1.6)
ARROW_M = (1.5, 0.2, 0.2)


def markers(path: PlannedPath) -> list[Marker]:
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
