"""Where pictures were scored, from the trace, and where they turn out good, with their markers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import math
from typing import Any, TypeGuard

from curiosity_viz.markers import (
    WHITE,
    YELLOW,
    Marker,
    Point,
    above,
    faint,
    is_drawable,
    score_colour,
    text_marker,
)
from curiosity_viz.trace_board import score_of
from rover_common.config.settings import Thresholds
from rover_common.config.settings.world import BrightSpot, LightField
from rover_common.geometry.transforms import Transform
from rover_common.trace_event import TraceEvent

SAME_PLACE_M = 0.5
LAST_STAMP_S = 2.0**31  # the largest time of builtin_interfaces/msg/Time

# The rover's pose at a time in s of ROS time, or the latest one; None: not known or not drawable.
Whereabouts = Callable[[float | None], Transform | None]
CAPTURES = ('captures', 'capture_scores')
BALL_M = 0.6
PLATE_M = (0.9, 0.9, 0.06)  # dark violet is hard to see on sand without it
LABEL_M = 0.4
LABEL_AT_M = 0.7
BRIGHT_ZONE = ('bright_zone',)
SUNLIGHT = faint(YELLOW, 0.25)
WIDTH_M = 10.0  # the light model depends on x only
THICKNESS_M = 0.02


@dataclass(frozen=True)
class Capture:
    """The latest score of a place; `number` is the place's for as long as it is kept."""

    number: int
    at: Point
    score: float


class Captures:
    """The places of the last `most` captures that were not at the same place."""

    def __init__(self, most: int = 60) -> None:
        self._most = most
        self._count = 0
        self._places: list[Capture] = []

    @property
    def places(self) -> tuple[Capture, ...]:
        """Oldest place first."""
        return tuple(self._places)

    def apply(self, event: TraceEvent, whereabouts: Whereabouts) -> None:
        """Handle an event of the trace; one of a tool that has a score is a capture.

        Its place is what the simulator reported with it, else the rover's at its stamp.
        """
        score = score_of(event)
        if score is None or event.tool_name is None or event.ok is False:
            return
        result = _part(event.data, 'result')
        stamp = result.get('stamp')
        pose = (whereabouts(stamp) if _is_stamp(stamp) else None) or whereabouts(None)
        at = _reported_place(_part(result, 'stats'), pose) or (pose and (pose.x, pose.y, pose.z))
        if at:
            self._enter(at, score)

    def clear(self) -> None:
        """Clear the places, for a world that began anew."""
        self._places = []

    def _enter(self, at: Point, score: float) -> None:
        for index, place in enumerate(self._places):
            if math.dist(place.at, at) < SAME_PLACE_M:
                self._places[index] = Capture(place.number, place.at, score)
                return
        self._places = [*self._places, Capture(self._count, at, score)][-self._most :]
        self._count += 1


def _reported_place(stats: dict[str, Any], pose: Transform | None) -> Point | None:
    x, y = stats.get('rover_x'), stats.get('rover_y')
    if not _is_number(x) or not _is_number(y) or not is_drawable(x, y):
        return None
    return float(x), float(y), pose.z if pose else 0.0


def _is_stamp(value: Any) -> TypeGuard[float]:
    return _is_number(value) and 0.0 <= value < LAST_STAMP_S


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float))


def _part(data: dict[str, Any] | None, key: str) -> dict[str, Any]:
    part = (data or {}).get(key)
    return part if isinstance(part, dict) else {}


def capture_markers(captures: Sequence[Capture]) -> list[Marker]:
    """Two markers for all places, and a label for each under the place's number."""
    if not captures:
        return []
    balls = tuple(above(each.at, BALL_M / 2.0) for each in captures)
    plates = tuple(above(each.at, PLATE_M[2] / 2.0) for each in captures)
    colours = tuple(score_colour(each.score) for each in captures)
    ball = (BALL_M, BALL_M, BALL_M)
    return [
        Marker('captures', 0, 'cubes', WHITE, PLATE_M, points=plates),
        Marker('captures', 1, 'balls', WHITE, ball, points=balls, colours=colours),
        *(_label(each) for each in captures),
    ]


def _label(capture: Capture) -> Marker:
    at = above(capture.at, LABEL_AT_M)
    text = f'{capture.score:.2f}'
    return text_marker('capture_scores', capture.number, text, at, LABEL_M, WHITE)


def bright_zone_markers(thresholds: Thresholds, light: LightField | None) -> list[Marker]:
    """The range of x of thresholds.yaml; in a world with a light of its own, its bright spots."""
    if light is None:
        return [_strip(thresholds)]
    good = thresholds.quality.score_threshold
    return [
        _disc(number, spot, _radius(spot, light.base, good))
        for number, spot in enumerate(light.spots)
        if spot.peak > good > light.base
    ]


def _strip(thresholds: Thresholds) -> Marker:
    first, last = thresholds.bright_zone()
    size = (max(last - first, THICKNESS_M), WIDTH_M, THICKNESS_M)
    return Marker('bright_zone', 0, 'cube', SUNLIGHT, size, at=((first + last) / 2.0, 0.0, 0.0))


def _disc(number: int, spot: BrightSpot, radius: float) -> Marker:
    size = (2.0 * radius, 2.0 * radius, THICKNESS_M)
    return Marker('bright_zone', number, 'cylinder', SUNLIGHT, size, at=(spot.x, spot.y, 0.0))


def _radius(spot: BrightSpot, base: float, good: float) -> float:
    """Distance in m at which the spot's Gaussian over the base is just good."""
    return spot.sigma_m * math.sqrt(2.0 * math.log((spot.peak - base) / (good - base)))
