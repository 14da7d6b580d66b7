"""Keep-out zones: whether the path that a motion would take comes too near to one."""

from __future__ import annotations

from collections.abc import Iterable
import math

from shapely.errors import GEOSException
from shapely.geometry import LineString, Point, Polygon

from bt_executive.settings import KeepOutZone
from bt_executive.state import Pose

STEP_M = 0.25


def path_of_motion(
    pose: Pose, speed_m_s: float, radius_m: float, seconds: float
) -> list[tuple[float, float]]:
    """Points in the world frame, in m, along an arc from `pose`.

    `radius_m`: of the turning circle, positive to the left, negative to the right, 0 for straight.
    However long the motion is, the points are few: a line has two, and who drives on comes round.
    """
    length = speed_m_s * seconds
    count = 2
    if radius_m:
        length = min(length, math.tau * abs(radius_m))
        count += math.ceil(length / STEP_M)
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


def zone_on_path(
    points: Iterable[tuple[float, float]], zones: Iterable[KeepOutZone], margin_m: float
) -> str:
    """The name of the first zone that the path touches or passes nearer than the margin.

    A path that leaves all numbers cannot be measured, and counts as too near.
    """
    path = list(points)
    line = LineString(path) if len(path) > 1 else Point(path[0])
    for zone in zones:
        if _nearer(line, zone, margin_m):
            return zone.name
    return ''


def _nearer(line: LineString | Point, zone: KeepOutZone, margin_m: float) -> bool:
    try:
        return not line.distance(Polygon(zone.polygon)) > margin_m
    except GEOSException:  # of infinities and NaN
        return True
