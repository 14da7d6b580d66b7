"""Keep-out zones: whether the path that a motion would take comes too near to one."""

from __future__ import annotations

import math

from bt_executive.settings import KeepOutZone
from bt_executive.state import Pose
from bt_executive.zones import Path, ZoneAreas

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


def zone_on_path(path: Path, zones: ZoneAreas, margin_m: float) -> str:
    """The name of the first zone that the path touches or passes nearer than the margin.

    A path that cannot be measured counts as too near.
    """
    return next((zones.names[number] for number in zones.near(path, margin_m)), '')


class KnownZones:
    """The zones that hold as shapes, which are made anew only when the zones have changed."""

    def __init__(self) -> None:
        self._zones: tuple[tuple[KeepOutZone, ...], ...] = ()
        self._areas = ZoneAreas()

    def areas(
        self, configured: tuple[KeepOutZone, ...], told: tuple[KeepOutZone, ...]
    ) -> ZoneAreas:
        """The shapes of the configured zones and of those that were told."""
        zones = (configured, told)
        if zones != self._zones:  # the same objects compare at once
            self._zones, self._areas = zones, ZoneAreas((*configured, *told))
        return self._areas
