"""The rover's footprint, and where it fits between inflated obstacles and zones.

Three equal discs in a row cover the rectangle of body and wheels. The outer two touch its corners
from within; the middle one keeps the rover's centre, which is where plans are made for, on free
ground. Lengths in m, in the world frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
import shapely
from shapely.geometry import Point, Polygon

from curiosity_navigation.vehicle_model import Poses
from rover_common.config.settings import Config, NavigationSettings
from rover_common.geometry.planar_motion import Pose2D

Points = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Footprint:
    """Discs of one radius: at the rover's centre, and `offset_m` before and behind it."""

    radius_m: float
    offset_m: float

    @classmethod
    def of(cls, settings: NavigationSettings) -> Footprint:
        """The discs over a rectangle of the configured length and width."""
        quarter = settings.length_m / 4.0
        return cls(math.hypot(quarter, settings.width_m / 2.0), quarter)

    def tracks(self, poses: Poses) -> Points:
        """Where the centres of the discs are at each pose: discs, poses, x and y."""
        axes = np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
        tracks: Points = poses[:, :2] + np.array(self.offsets)[:, np.newaxis, np.newaxis] * axes
        return tracks

    @property
    def offsets(self) -> tuple[float, float, float]:
        """Of the discs, along the rover's axis."""
        return -self.offset_m, 0.0, self.offset_m


CELL_M = 0.25
# A point lies at most half a diagonal from the centre of its cell.
CELL_SLACK_M = 0.18
# A rover that is nearer to something than wanted may stay as near, but for this at least, and for
# this more than its tail swings out where it turns away ...
GIVE_M = 0.02
SWING_SLACK_M = 0.005
# ... and to all that lies not further than this from it, as the other sides of the same rock do.
NEIGHBOURHOOD_M = 2.0
ARC_PARTS = 6  # per quarter of a circle
# A path is never met exactly: plans keep so much further from zones than where every motion ends.
ZONE_ROOM_M = 0.2


@dataclass(frozen=True)
class Clearance:
    """Distance that each disc's centre keeps: from obstacles, and from keep-out zones.

    `narrow_m`: from obstacles where there is no path with `obstacles_m`, and on a path that is
    being driven, which is never met exactly. `give_m`: by how much a disc that is nearer than
    that at the start may still come nearer.
    """

    obstacles_m: float
    narrow_m: float
    zones_m: float
    give_m: float
    footprint: Footprint

    @classmethod
    def of(cls, config: Config) -> Clearance:
        """The distances that are configured."""
        settings = config.curiosity.navigation
        footprint = Footprint.of(settings)
        narrow_m = (settings.clearance_m + settings.nearest_m) / 2.0
        radius_m = settings.turn_radius_m
        swing_m = math.hypot(radius_m, footprint.offset_m) - radius_m
        return cls(
            footprint.radius_m + settings.clearance_m,
            footprint.radius_m + narrow_m,
            max(
                config.executive.guards.keep_out_margin_m,
                config.curiosity.motion.keep_out_margin_m + ZONE_ROOM_M,
            ),
            max(GIVE_M, swing_m + SWING_SLACK_M),
            footprint,
        )

    @property
    def narrowed(self) -> Clearance:
        """The smallest clearance."""
        return replace(self, obstacles_m=self.narrow_m)


@dataclass(frozen=True)
class Raster:
    """Which cells of a rectangle are blocked; row by row from its lower left corner."""

    left: float
    bottom: float
    columns: int
    rows: int
    blocked: bytes


def kept_distances(
    obstacles: Points, discs: Points, wanted_m: float, clearance: Clearance
) -> Points:
    """The distance to keep from each obstacle: as wanted, if the discs at the start allow it.

    A rover that stands nearer to something than wanted can leave, but come no nearer, except by
    `give_m` as long as it touches nothing. What lies elsewhere is kept away from as wanted.
    """
    here = _apart(obstacles, discs).min(axis=1)
    kept = np.full(len(obstacles), wanted_m)
    near, around = here < wanted_m, here < wanted_m + NEIGHBOURHOOD_M
    of_the_near = _apart(obstacles[around], obstacles[near]) < NEIGHBOURHOOD_M
    touching = np.minimum(clearance.footprint.radius_m, here[near] - GIVE_M)
    nearest = np.maximum(np.maximum(here[near] - clearance.give_m, touching), 0.0)
    allowed = np.where(of_the_near, nearest, wanted_m)
    kept[around] = allowed.min(axis=1, initial=wanted_m)
    return kept


def _apart(some: Points, others: Points) -> Points:
    """The distance of each point, one row each, from each of the others."""
    offset = some[:, np.newaxis, :] - others
    distances: Points = np.hypot(offset[..., 0], offset[..., 1])
    return distances


class CollisionChecker:
    """The blocked area, as it is for a rover that begins at a start."""

    def __init__(
        self,
        start: Pose2D,
        obstacles: Points,
        zones: Sequence[tuple[str, Polygon]],
        clearance: Clearance,
    ) -> None:
        discs = clearance.footprint.tracks(np.array([[start.x, start.y, start.yaw]]))[:, 0]
        here = shapely.multipoints(discs)
        radii = kept_distances(obstacles, discs, clearance.obstacles_m, clearance)
        self.footprint = clearance.footprint
        rocks = shapely.buffer(shapely.points(obstacles), radii, quad_segs=ARC_PARTS)
        self._rocks = shapely.union_all(rocks)
        self._zones = [
            (
                name,
                area.buffer(
                    min(
                        clearance.zones_m,
                        max(float(area.distance(here)) - clearance.give_m, 0.0),
                    )
                ),
            )
            for name, area in zones
        ]
        areas = [area for _, area in self._zones]
        self._blocked = shapely.union_all([self._rocks, *areas]) if areas else self._rocks
        shapely.prepare(self._blocked)

    def obstruction(self, x: float, y: float) -> str | None:
        """What the rover would be too near to at a point; None if nothing."""
        point = Point(x, y)
        for name, area in self._zones:
            if area.intersects(point):
                return f'keep-out zone {name!r}'
        return 'an obstacle' if self._rocks.intersects(point) else None

    def clear(self, path: Poses) -> bool:
        """Whether a path, given by its poses, touches nothing."""
        tracks = self.footprint.tracks(path)
        shapes = shapely.linestrings(tracks) if len(path) > 1 else shapely.points(tracks[:, 0])
        return not shapely.intersects(self._blocked, shapes).any()

    def raster(self, box: tuple[float, float, float, float], slack_m: float) -> Raster:
        """The blocked area in a box (left, bottom, right, top), made wider by a slack.

        With `CELL_SLACK_M` every point of a free cell is clear; with less, most are.
        """
        left, bottom, right, top = box
        columns = max(1, int((right - left) / CELL_M) + 1)
        rows = max(1, int((top - bottom) / CELL_M) + 1)
        area = self._blocked.buffer(slack_m, quad_segs=2)
        shapely.prepare(area)
        x = left + (np.arange(columns) + 0.5) * CELL_M
        y = bottom + (np.arange(rows) + 0.5) * CELL_M
        inside = shapely.contains_xy(area, x[np.newaxis, :], y[:, np.newaxis])
        return Raster(left, bottom, columns, rows, inside.astype(np.uint8).tobytes())
