"""Tracks one motion of the path by the rover's pose: its progress, and its deviation.

Lengths in m, angles in rad.
"""

from __future__ import annotations

import math

from curiosity_navigation.vehicle_model import SIDES, Segment, VehicleModel
from rover_common.geometry.pose2d import Pose2D


class PathTracker:
    """Compares the rover's places with the segment that it drives.

    Progress on a straight line is the distance along it; on an arc it is the turn of the rover
    times the radius, so that the rover ends with the heading that the next segment needs.

    Args:
        segment: The segment being driven.
        start: Where the rover stood.
        vehicle: Its motions.
    """

    def __init__(self, segment: Segment, start: Pose2D, vehicle: VehicleModel) -> None:
        self.segment = segment
        self._start = start
        self._vehicle = vehicle
        self._side = SIDES[segment.motion]
        self._yaw = start.yaw
        self._turned = 0.0
        self.place = start

    def update(self, place: Pose2D) -> None:
        """Takes the present pose."""
        self._turned += math.remainder(place.yaw - self._yaw, math.tau)
        self._yaw, self.place = place.yaw, place

    @property
    def progress(self) -> float:
        """How much of the segment is driven; negative if the rover went the other way."""
        if self._side:
            return self._side * self._turned * self._vehicle.radius_m
        dx, dy = self.place.x - self._start.x, self.place.y - self._start.y
        return dx * math.cos(self._start.yaw) + dy * math.sin(self._start.yaw)

    @property
    def left(self) -> float:
        """How much of the segment is still to drive."""
        return max(0.0, self.segment.length - self.progress)

    @property
    def deviation(self) -> float:
        """Distance from where the rover should be after its progress."""
        driven = Segment(self.segment.motion, self.progress)
        expected = self._vehicle.after(self._start, driven)
        return self.place.distance(expected.x, expected.y)

    @property
    def ahead(self) -> tuple[Segment, ...]:
        """The rest of the segment, from the present pose; empty at its end."""
        return (Segment(self.segment.motion, self.left),) if self.left else ()
