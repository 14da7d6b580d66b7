"""The scene: all that is drawn for RViz, and its markers, layer by layer. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from curiosity_viz.executive_mode_and_requests import ExecutiveReport
from curiosity_viz.layers import (
    bright_zone,
    capture_balls,
    keep_out,
    mode_and_score,
    navigation,
    remembered,
    rover,
    trace_board,
)
from curiosity_viz.layers.remembered import RememberedPlace
from curiosity_viz.markers import Marker, Point
from curiosity_viz.planned_path import PlannedPath
from curiosity_viz.scored_places import Capture
from curiosity_viz.trace_lines import TraceLine
from rover_common.config.settings import Config, KeepOutZone
from rover_common.geometry.transforms import Transform

LAYERS = (
    bright_zone,
    capture_balls,
    keep_out,
    navigation,
    remembered,
    rover,
    mode_and_score,
    trace_board,
)
NAMESPACES = tuple(name for layer in LAYERS for name in layer.NAMES)


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
        *bright_zone.markers(thresholds, config.curiosity.rover.world.light),
        *keep_out.markers(scene.zones),
        *remembered.markers(scene.remembered),
        *rover.markers(scene.rover, scene.path),
        *navigation.markers(scene.planned_path),
        *capture_balls.markers(scene.captures),
        *mode_and_score.markers(scene.report, scene.score, good, scene.rover),
        *trace_board.markers(scene.lines, scene.rover),
    )
