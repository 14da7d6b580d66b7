"""Keep-out zones: whether the path that a motion would take comes too near to one."""

from __future__ import annotations

from collections.abc import Iterable
import math

from shapely.geometry import LineString, Point, Polygon

from bt_executive.settings import KeepOutZone
from bt_executive.state import Pose

STEP_M = 0.25


def path_of_motion(
    pose: Pose, speed_m_s: float, radius_m: float, seconds: float
) -> list[tuple[float, float]]:
    """Points in the world frame, in m, along an arc from `pose`.

    `radius_m`: of the turning circle, positive to the left, negative to the right, 0 for straight.
    """
    length = speed_m_s * seconds
    count = max(2, math.ceil(length / STEP_M) + 1)
    points = []
    for index in range(count):
        s = length * index / (count - 1)
        if radius_m == 0.0:
            forward, left = s, 0.0
        else:
            angle = s / radius_m
            forward, left = radius_m * math.sin(angle), radius_m * (1.0 - math.cos(angle))
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        points.append((pose.x + cos * forward - sin * left, pose.y + sin * forward + cos * left))
    return points


def zone_on_path(
    points: Iterable[tuple[float, float]], zones: Iterable[KeepOutZone], margin_m: float
) -> str:
    """The name of the first zone that the path touches or passes nearer than the margin."""
    path = list(points)
    line = LineString(path) if len(path) > 1 else Point(path[0])
    for zone in zones:
        if line.distance(Polygon(zone.polygon)) <= margin_m:
            return zone.name
    return ''
