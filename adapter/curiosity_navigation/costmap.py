"""The rover's surroundings: obstacles by its rangefinder, and keep-out zones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import math

import shapely
from shapely.geometry import Polygon

from curiosity_navigation.collision_checker import Clearance, kept_distances
from curiosity_navigation.navigation_error_codes import Cause
from curiosity_navigation.obstacle_layer import ObstacleMap, Points, Scan
from rover_common.config.settings import Config
from rover_common.geometry.keep_out import KeepOut
from rover_common.geometry.pose2d import Pose2D
from rover_common.geometry.transforms import Transform
from rover_common.motion_by_transforms import MotionMonitor
from rover_common.reason import Reason

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

    def obstruction(self, path: Sequence[Pose2D]) -> str | None:
        """Return what the rest of a motion, given by its places, comes too near to, if anything.

        What is nearer than that at the begin of the path must only not come nearer.
        """
        zone = self._keep_out.intrusion([each.point for each in path], self._zone_margin_m)
        if zone:
            return f'keep-out zone {zone!r}'
        points, tracks = self._points, self._clearance.footprint.tracks(path)
        nearest_m = self._clearance.footprint.radius_m + self._settings.nearest_m
        lows, highs = tracks.min(axis=(0, 1)) - nearest_m, tracks.max(axis=(0, 1)) + nearest_m
        around = ((points > lows) & (points < highs)).all(axis=1)
        if not around.any():
            return None
        kept = kept_distances(points, tracks[:, 0], nearest_m)
        shapes = shapely.linestrings(tracks) if len(path) > 1 else shapely.points(tracks[:, 0])
        near = shapely.distance(shapely.points(points[around]), shapely.union_all(shapes))
        return 'an obstacle' if (near < kept[around]).any() else None

    @property
    def _jumped(self) -> bool:
        """Whether the world frame has jumped since the latest scan: obstacles are misplaced."""
        return self._jumps != self._poses.jumps

    @property
    def _points(self) -> Points:
        """Where obstacles are."""
        return self._obstacles.points[:0] if self._jumped else self._obstacles.points
