"""A pose in the plane, and the path over the ground that a motion takes from it."""

from __future__ import annotations

from dataclasses import dataclass
import math


@dataclass(frozen=True)
class Pose2D:
    """A pose in the plane: m, and rad counterclockwise from the x axis."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    @property
    def point(self) -> tuple[float, float]:
        """Without the heading."""
        return self.x, self.y

    def distance(self, x: float, y: float) -> float:
        """To a point, in m."""
        return math.hypot(x - self.x, y - self.y)


STEP_M = 0.25


def path_of_motion(
    pose: Pose2D, speed_m_s: float, radius_m: float, seconds: float
) -> list[tuple[float, float]]:
    """Points in the world frame, in m, along an arc from `pose`; a negative speed is backwards.

    `radius_m`: of the turning circle, positive to the left, negative to the right, 0 for straight.
    The number of points is small for any duration: a line has two, a longer arc is a full circle.
    """
    length = speed_m_s * seconds
    count = 2
    if radius_m:
        length = math.copysign(min(abs(length), math.tau * abs(radius_m)), length)
        count += math.ceil(abs(length) / STEP_M)
    points = []
    for index in range(count):
        s = length * (index / (count - 1))
        if radius_m == 0.0:
            forward, left = s, 0.0
        else:
            angle = s / radius_m
            forward, left = radius_m * math.sin(angle), radius_m * (1.0 - math.cos(angle))
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        points.append((pose.x + cos * forward - sin * left, pose.y + sin * forward + cos * left))
    return points
