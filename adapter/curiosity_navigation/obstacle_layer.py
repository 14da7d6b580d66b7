"""Obstacles from the rangefinder, remembered in the world frame.

A rock stays on the map when the rover is too near to see it, and leaves the map when a ray passes
through where it was. What lies far behind is forgotten: a scan costs no more after a long drive
than at its begin. Lengths in m, angles in rad.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rover_common.config.settings import ScanSettings
from rover_common.geometry.transforms import Transform

CELL_M = 0.2
# A ray has passed a cell when it goes on for this far behind it.
BEHIND_M = 0.6
# Cells nearer than this behind the sensor's blind zone stay: a rock that reaches into that zone
# is not reported, so no echo proves nothing about the rest of it.
ROCK_M = 3.0
# A sensor that is tilted more than this looks over or under what it once saw.
LEVEL_RAD = 0.05

Points = NDArray[np.floating[Any]]
Cells = NDArray[np.int64]  # column and row, one cell each row


@dataclass(frozen=True)
class Scan:
    """One turn of the rangefinder, as in sensor_msgs/msg/LaserScan."""

    angle_min: float
    angle_increment: float
    range_min: float
    range_max: float
    ranges: NDArray[np.float64]

    @property
    def angles(self) -> Points:
        """Bearing of each ray in the sensor's frame."""
        return self.angle_min + self.angle_increment * np.arange(len(self.ranges))


class ObstacleMap:
    """Cells of the ground with something on them.

    Args:
        settings: Which echoes count.
        own_m: Echoes nearer than this to the rover's centre are the rover itself.
    """

    def __init__(self, settings: ScanSettings, own_m: float) -> None:
        self._settings = settings
        self._own_m = own_m
        self._cells: Cells = np.empty((0, 2), dtype=np.int64)

    @property
    def points(self) -> Points:
        """Centres of the cells, one row each."""
        return (self._cells + 0.5) * CELL_M

    def forget(self) -> None:
        """The world frame has jumped: nothing is where it was."""
        self._cells = np.empty((0, 2), dtype=np.int64)

    def update(self, scan: Scan, base: Transform, sensor: Transform) -> None:
        """Takes a scan.

        Args:
            scan: What the sensor measured.
            base: The rover in the world frame.
            sensor: The sensor in the rover's frame.
        """
        mounted = base.compose(sensor)
        if abs(mounted.rotated(1.0, 0.0, 0.0)[2]) + abs(mounted.rotated(0.0, 1.0, 0.0)[2]) < (
            LEVEL_RAD
        ):
            self._cells = self._cells[~self._seen_through(scan, mounted)]
        ahead, left = (np.array(mounted.rotated(*axis)) for axis in ((1, 0, 0), (0, 1, 0)))
        distances = np.where(np.isfinite(scan.ranges), scan.ranges, 0.0)[:, np.newaxis]
        bearings = scan.angles[:, np.newaxis]
        origin = np.array([mounted.x - base.x, mounted.y - base.y, mounted.z - base.z])
        echoes = origin + distances * (np.cos(bearings) * ahead + np.sin(bearings) * left)
        self._add(echoes[self._counts(scan, echoes)], base)

    def _counts(self, scan: Scan, echoes: Points) -> NDArray[np.bool_]:
        """Which echoes, given from the rover in the axes of the world, are obstacles."""
        limits = self._settings
        farthest = min(limits.max_range_m, scan.range_max)
        away = np.hypot(echoes[:, 0], echoes[:, 1])
        return (
            np.isfinite(scan.ranges)
            & (scan.ranges >= scan.range_min)
            & (scan.ranges <= farthest)
            & (echoes[:, 2] >= limits.lowest_m)
            & (echoes[:, 2] <= limits.highest_m)
            & (away >= self._own_m)
        )

    def _add(self, echoes: Points, base: Transform) -> None:
        places = echoes[:, :2] + (base.x, base.y)
        cells = np.floor(places / CELL_M).astype(np.int64)
        self._cells = _each_once(np.concatenate([self._cells, cells]))
        self._forget_the_farthest(base)

    def _forget_the_farthest(self, base: Transform) -> None:
        limits, offset = self._settings, self.points - (base.x, base.y)
        away = np.hypot(offset[:, 0], offset[:, 1])
        kept = away <= limits.memory_m
        if np.count_nonzero(kept) > limits.max_cells:
            nearest = np.argpartition(away, limits.max_cells)[: limits.max_cells]
            kept = np.isin(np.arange(len(away)), nearest)
        self._cells = self._cells[kept]

    def _seen_through(self, scan: Scan, sensor: Transform) -> NDArray[np.bool_]:
        """Which cells a ray and both its neighbours have passed."""
        offset = self.points - (sensor.x, sensor.y)
        away = np.hypot(offset[:, 0], offset[:, 1])
        ahead, left = (np.array(sensor.rotated(*axis)[:2]) for axis in ((1, 0, 0), (0, 1, 0)))
        bearing = np.arctan2(offset @ left, offset @ ahead) - scan.angle_min
        free = np.where(np.isnan(scan.ranges), 0.0, scan.ranges)
        free = np.minimum(free, scan.range_max)
        count = len(free)
        rays = np.rint((bearing % math.tau) / scan.angle_increment)
        ray = np.minimum(rays, count).astype(np.int64)  # a huge number is no integer
        reach = np.min([free[(ray + shift) % count] for shift in (-1, 0, 1)], axis=0)
        farthest = self._settings.max_range_m - BEHIND_M
        measured = (away >= scan.range_min + ROCK_M) & (away <= farthest)
        passed: NDArray[np.bool_] = measured & (reach > away + BEHIND_M) & (ray < count)
        return passed


def _each_once(cells: Cells) -> Cells:
    """The cells without repetition; by one number for each, which is sorted much faster."""
    numbers = (cells[:, 0] << 32) + cells[:, 1]
    _, first = np.unique(numbers, return_index=True)
    once: Cells = cells[first]
    return once
