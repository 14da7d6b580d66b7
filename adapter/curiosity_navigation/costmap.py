"""The costmap: obstacles from the rangefinder, remembered in the world frame, and keep-out zones.

A rock stays on the map when the rover is too near to see it, and leaves the map when a ray passes
through where it was. What lies far behind is forgotten: a scan costs no more after a long drive
than at its begin. Lengths in m, angles in rad.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
import shapely
from shapely.geometry import Polygon

from curiosity_navigation.collision_checker import Clearance, kept_distances
from curiosity_navigation.navigation_error_codes import Cause
from curiosity_navigation.vehicle_model import Poses
from rover_common.config.settings import Config, ScanSettings
from rover_common.geometry.keep_out import KeepOut
from rover_common.geometry.transforms import Transform
from rover_common.motion_by_transforms import MotionMonitor
from rover_common.reason import Reason

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


# The path is replanned when it would come this near to the margin that ends every motion.
ZONE_GIVE_M = 0.1


@dataclass(frozen=True)
class Costmap:
    """The known surroundings at one moment."""

    obstacles: Points
    zones: tuple[tuple[str, Polygon], ...]
    clearance: Clearance


class ObstacleMonitor:
    """Follows the scans. Lengths in m, in the world frame.

    Args:
        config: The whole configuration.
        poses: Where the rover is.
        keep_out: The zones.
        clock: Steady time in s.
    """

    def __init__(
        self, config: Config, poses: MotionMonitor, keep_out: KeepOut, clock: Callable[[], float]
    ) -> None:
        self._settings = config.curiosity.navigation
        self._zone_margin_m = config.curiosity.motion.keep_out_margin_m + ZONE_GIVE_M
        self._clearance = Clearance.of(config)
        self._poses = poses
        self._keep_out = keep_out
        self._clock = clock
        self._obstacles = ObstacleMap(self._settings.scan, self._clearance.footprint.radius_m)
        self._scan_at = -math.inf
        self._jumps = poses.jumps
        self._scans = 0

    def update(self, scan: Scan, base: Transform, sensor: Transform) -> None:
        """Takes a scan; see `ObstacleMap.update`."""
        if self._jumped:
            self._jumps = self._poses.jumps
            self._obstacles.forget()
        self._obstacles.update(scan, base, sensor)
        self._scan_at = self._clock()
        self._scans += 1

    @property
    def change_count(self) -> int:
        """Number of scans and of changes of the zones so far."""
        return self._scans + self._keep_out.changes

    def refusal(self) -> Reason[Cause] | None:
        """Why the surroundings are not known well enough to plan; None if they are."""
        silence = self.silence()
        if silence or not self._settings.scan.required or not self._jumped:
            return silence
        reason = 'the world frame has jumped, and no scan has come since'
        return Reason(Cause.SURROUNDINGS_UNKNOWN, reason)

    def silence(self) -> Reason[Cause] | None:
        """Why the surroundings are not known well enough to drive on; None if they are."""
        limits = self._settings.scan
        if not limits.required or self._clock() - self._scan_at <= limits.max_age_s:
            return None
        return Reason(
            Cause.SURROUNDINGS_UNKNOWN,
            f'no usable scan came within {limits.max_age_s:g} s: the sensor is silent, its stamps '
            'are old, its frame is not in /tf (navigation.scan.frame), or the mast is not at rest',
        )

    def costmap(self) -> Costmap:
        """Return the present costmap."""
        return Costmap(self._points, self._keep_out.areas, self._clearance)

    def obstruction(self, path: Poses) -> str | None:
        """Return what the rest of a motion, given by its poses, comes too near to, if anything.

        What is nearer than that at the begin of the path must only not come nearer.
        """
        zone = self._keep_out.intrusion(path[:, :2].tolist(), self._zone_margin_m)
        if zone:
            return f'keep-out zone {zone!r}'
        points, tracks = self._points, self._clearance.footprint.tracks(path)
        nearest_m = self._clearance.footprint.radius_m + self._settings.nearest_m
        lows, highs = tracks.min(axis=(0, 1)) - nearest_m, tracks.max(axis=(0, 1)) + nearest_m
        around = ((points > lows) & (points < highs)).all(axis=1)
        if not around.any():
            return None
        kept = kept_distances(points, tracks[:, 0], nearest_m, self._clearance)
        shapes = shapely.linestrings(tracks) if len(path) > 1 else shapely.points(tracks[:, 0])
        centres = np.array(shapely.points(points[around]))[:, np.newaxis]
        near = shapely.distance(centres, shapes).min(axis=1)
        return 'an obstacle' if (near < kept[around]).any() else None

    @property
    def _jumped(self) -> bool:
        """Whether the world frame has jumped since the latest scan: obstacles are misplaced."""
        return self._jumps != self._poses.jumps

    @property
    def _points(self) -> Points:
        """Where obstacles are."""
        return self._obstacles.points[:0] if self._jumped else self._obstacles.points
