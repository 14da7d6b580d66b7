"""Straight lines and arcs, the rover's only motions, always forward.

Lengths in m, angles in rad counterclockwise from the x axis of the world frame, times in s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rover_common.config.settings import NavigationSettings
from rover_common.geometry.planar_motion import Pose2D

MotionName = Literal['move_forward', 'turn_left', 'turn_right']
FORWARD: MotionName = 'move_forward'
LEFT: MotionName = 'turn_left'
RIGHT: MotionName = 'turn_right'
SIDES = {FORWARD: 0.0, LEFT: 1.0, RIGHT: -1.0}

Point = tuple[float, float]
Poses = NDArray[np.floating[Any]]  # rows of x, y and heading, which may be any turns away


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
        turned = SIDES[segment.motion] * segment.length / self.radius_m
        # Chord of the arc: its length is s * sin(a)/a with a = turned/2, its heading yaw + a.
        half = turned / 2.0
        chord = segment.length * (math.sin(half) / half if half else 1.0)
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

    def poses(self, place: Pose2D, segments: Iterable[Segment], step_m: float) -> Poses:
        """Poses along the path, its begin and end included, at most `step_m` apart."""
        poses = [np.array([[place.x, place.y, place.yaw]])]
        for segment in segments:
            parts = max(1, math.ceil(segment.length / step_m))
            lengths = segment.length * np.arange(1, parts + 1) / parts
            half = SIDES[segment.motion] * lengths / self.radius_m / 2.0
            chords = lengths * np.sinc(half / np.pi)
            bearing = place.yaw + half
            poses.append(
                np.stack(
                    [
                        place.x + chords * np.cos(bearing),
                        place.y + chords * np.sin(bearing),
                        bearing + half,
                    ],
                    axis=1,
                )
            )
            place = self.after(place, segment)
        return np.concatenate(poses)

    def places(self, place: Pose2D, segments: Iterable[Segment], step_m: float) -> list[Pose2D]:
        """As `poses`, each by itself."""
        rows = self.poses(place, segments, step_m).tolist()
        return [Pose2D(x, y, math.remainder(yaw, math.tau)) for x, y, yaw in rows]

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
