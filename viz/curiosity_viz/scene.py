"""The scene: all that is drawn for RViz, and its markers, layer by layer. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from curiosity_viz.markers import Marker, Point
from curiosity_viz.mode_and_requests import SIGNS, ExecutiveReport, sign_markers
from curiosity_viz.navigation_path_and_keep_out import (
    KEEP_OUT,
    NAVIGATION,
    PlannedPath,
    keep_out_markers,
    navigation_markers,
)
from curiosity_viz.remembered_places import REMEMBERED, RememberedPlace, remembered_markers
from curiosity_viz.rover_and_its_path import ROVER, rover_markers
from curiosity_viz.scored_places import (
    BRIGHT_ZONE,
    CAPTURES,
    Capture,
    bright_zone_markers,
    capture_markers,
)
from curiosity_viz.trace_board import BOARD, TraceLine, board_markers
from rover_common.config.settings import Config, KeepOutZone
from rover_common.geometry.transforms import Transform

# In RViz.
NAMESPACES = (
    *(*BRIGHT_ZONE, *CAPTURES, *KEEP_OUT, *NAVIGATION),
    *(*REMEMBERED, *ROVER, *SIGNS, *BOARD),
)


@dataclass(frozen=True)
class Scene:
    """What is known. `rover` is None while its pose is not; `path` has a gap between strokes."""

    lines: tuple[TraceLine, ...] = ()
    score: float | None = None
    report: ExecutiveReport = field(default_factory=ExecutiveReport)
    rover: Transform | None = None
    path: tuple[tuple[Point, ...], ...] = ()
    captures: tuple[Capture, ...] = ()
    planned_path: PlannedPath = field(default_factory=PlannedPath)
    zones: tuple[KeepOutZone, ...] = ()
    remembered: tuple[RememberedPlace, ...] = ()


def build_markers(scene: Scene, config: Config) -> tuple[Marker, ...]:
    """All markers of a scene."""
    thresholds = config.thresholds
    good = thresholds.quality.score_threshold
    return (
        *bright_zone_markers(thresholds, config.curiosity.rover.world.light),
        *keep_out_markers(scene.zones),
        *remembered_markers(scene.remembered),
        *rover_markers(scene.rover, scene.path),
        *navigation_markers(scene.planned_path),
        *capture_markers(scene.captures),
        *sign_markers(scene.report, scene.score, good, scene.rover),
        *board_markers(scene.lines, scene.rover),
    )
