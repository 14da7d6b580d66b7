"""Straight lines and arcs, the rover's only motions, always forward.

Lengths in m, angles in rad counterclockwise from the x axis of the world frame, times in s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import math
from typing import Literal

from rover_common.config.settings import NavigationSettings
from rover_common.geometry.planar_motion import Pose2D

MotionName = Literal['move_forward', 'turn_left', 'turn_right']
FORWARD: MotionName = 'move_forward'
LEFT: MotionName = 'turn_left'
RIGHT: MotionName = 'turn_right'
SIDES = {FORWARD: 0.0, LEFT: 1.0, RIGHT: -1.0}

Point = tuple[float, float]


@dataclass(frozen=True)
class Segment:
    """One motion over a length."""

    motion: MotionName
    length: float


@dataclass(frozen=True)
class VehicleModel:
    """How fast the rover drives, and how narrow its circle is. A change of motion costs a stop."""

    forward_m_s: float
    turn_m_s: float
    radius_m: float
    change_s: float = 1.0

    @classmethod
    def of(cls, settings: NavigationSettings) -> VehicleModel:
        """The vehicle that is configured."""
        return cls(settings.forward_m_s, settings.turn_m_s, settings.turn_radius_m)

    def speed(self, motion: MotionName) -> float:
        """Speed over ground."""
        return self.forward_m_s if motion == FORWARD else self.turn_m_s

    def seconds(self, segments: Iterable[Segment]) -> float:
        """How long the segments take."""
        segments = list(segments)
        return self.driving_seconds(segments) + self.change_s * len(segments)

    def driving_seconds(self, segments: Iterable[Segment]) -> float:
        """How long the segments take without the stops between them."""
        return sum(each.length / self.speed(each.motion) for each in segments)

    def after(self, place: Pose2D, segment: Segment) -> Pose2D:
        """Where the rover is at the end of a segment."""
        return self._after(place, SIDES[segment.motion], segment.length)

    def _after(self, place: Pose2D, side: float, length: float) -> Pose2D:
        turned = side * length / self.radius_m
        # Chord of the arc: its length is s * sin(a)/a with a = turned/2, its heading yaw + a.
        half = turned / 2.0
        chord = length * (math.sin(half) / half if half else 1.0)
        return Pose2D(
            place.x + chord * math.cos(place.yaw + half),
            place.y + chord * math.sin(place.yaw + half),
            math.remainder(place.yaw + turned, math.tau),
        )

    def end(self, place: Pose2D, segments: Iterable[Segment]) -> Pose2D:
        """Where the rover is at the end of all segments."""
        for segment in segments:
            place = self.after(place, segment)
        return place

    def places(self, place: Pose2D, segments: Iterable[Segment], step_m: float) -> list[Pose2D]:
        """Places of the path, its begin and end included, at most `step_m` apart."""
        places = [place]
        for segment in segments:
            parts = max(1, math.ceil(segment.length / step_m))
            side, length = SIDES[segment.motion], segment.length
            places += [
                self._after(place, side, length * part / parts) for part in range(1, parts + 1)
            ]
            place = places[-1]
        return places

    def points(self, place: Pose2D, segments: Iterable[Segment], step_m: float) -> list[Point]:
        """As `places`, without the headings."""
        return [each.point for each in self.places(place, segments, step_m)]


def merged(segments: Iterable[Segment], shortest_m: float) -> list[Segment]:
    """Equal neighbours made one; what is shorter than `shortest_m` is left out."""
    result: list[Segment] = []
    for segment in segments:
        if result and result[-1].motion == segment.motion:
            length = result.pop().length + segment.length
            result.append(Segment(segment.motion, length))
        else:
            result.append(segment)
    kept = [segment for segment in result if segment.length >= shortest_m]
    return kept if len(kept) == len(result) else merged(kept, shortest_m)


def total_length(segments: Sequence[Segment]) -> float:
    """Length of the path."""
    return sum(segment.length for segment in segments)
