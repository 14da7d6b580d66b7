"""Where pictures were scored, from the trace. Lengths in m, in the world frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import math
from typing import Any, TypeGuard

from curiosity_viz.markers import Point, is_drawable
from curiosity_viz.trace_lines import score_of
from rover_common.geometry.transforms import Transform
from rover_common.trace_event import TraceEvent

SAME_PLACE_M = 0.5
LAST_STAMP_S = 2.0**31  # the largest time of builtin_interfaces/msg/Time

# The rover's pose at a time in s of ROS time, or the latest one; None: not known or not drawable.
Whereabouts = Callable[[float | None], Transform | None]


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
