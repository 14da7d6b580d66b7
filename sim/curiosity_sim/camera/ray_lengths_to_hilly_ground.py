"""Hills in a picture: where rays meet the ground, what it hides, and the skyline.

Along each bearing the ground is sampled at growing distances. The steepest elevation met so far
tells how far a ray of a given elevation flies: to the first sample that stands as high.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.camera.projection import Eye, Rays, Real, direction_of, turn_of
from curiosity_sim.rover.mast_geometry import CameraPose
from curiosity_sim.rover.terrain import Terrain
from curiosity_sim.tiling_noise import Floats

FARTHEST_M = 3000.0  # beyond, nothing is seen but sky


class Relief(Protocol):
    """The ground as seen from one place."""

    def nearness(self, rays: Rays) -> Floats:
        """1 / distance along the ground, per m, at which rays meet it.

        Above the ground's crest: where the crest stands, so that tables have no edge there.
        """

    def crest(self, rays: Rays) -> Floats:
        """Sine of the elevation above which the sky begins, at the bearing of each ray."""

    def cover(self, places: Doubles, before: Doubles, /) -> Doubles:
        """Height in the odom frame, m, below which nothing can be seen at some places.

        Args:
            places: x and y in the odom frame, m, shape (n, 2).
            before: Only hills nearer than this hide anything; m along the ground, shape (n).
        """


class Plain:
    """Level ground at height 0, which hides nothing."""

    def __init__(self, height: float) -> None:
        self._height = height

    def nearness(self, rays: Rays) -> Floats:
        fall = rays.sine * rays.length / (rays.level * np.float32(-self._height))
        nearness: Floats = np.maximum(fall, np.float32(1.0 / FARTHEST_M))
        return nearness

    def crest(self, rays: Rays) -> Floats:
        return np.zeros_like(rays.sine)

    def cover(self, places: Doubles, _before: Doubles, /) -> Doubles:
        return np.full(len(places), -np.inf)


BEARINGS = 120
ELEVATIONS = 256
NEAREST_M = 0.6
DISTANCES = np.concatenate(
    [np.geomspace(NEAREST_M, 160.0, 130), np.geomspace(180.0, FARTHEST_M, 6)]
)
MARGIN_RAD = 0.05
# Sine of the angle by which a point must stand under the skyline to be hidden.
HIDDEN_BELOW = 0.002
# Sines of two bearings never overlap when shifted by this.
_APART = 4.0 * np.arange(BEARINGS)[:, None]
_NEARNESS = np.tile(1.0 / DISTANCES, BEARINGS)
_TINY = 1e-7


@dataclass(frozen=True)
class Skyline:
    """The ground as seen from one place, a `Relief`.

    `sines[b, d]` is the steepest elevation up to DISTANCES[d]. Bearings run from `-half` to
    `half` against the gaze, evenly as `turn_of` measures them.
    """

    pose: CameraPose
    half: float
    sines: Doubles

    @classmethod
    def of(cls, terrain: Terrain, eye: Eye) -> Skyline:
        """Samples the terrain around a camera, within its field of view."""
        pose = eye.pose
        angle = min(eye.lens.widest_bearing(pose.down) + abs(pose.roll) + MARGIN_RAD, math.pi)
        edge = np.array([math.cos(angle), math.sin(angle)], np.float32)
        half = float(turn_of(edge[:1], edge[1:])[0])
        forward, left = direction_of(np.linspace(-half, half, BEARINGS))
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        east, north = forward * cos - left * sin, forward * sin + left * cos
        away = DISTANCES.astype(np.float32)
        x = np.outer(away, east.astype(np.float32)) + np.float32(pose.x)
        y = np.outer(away, north.astype(np.float32)) + np.float32(pose.y)
        rise = terrain.heights_at(x, y) - np.float32(pose.z)
        slant = cv2.magnitude(rise, np.repeat(away[:, None], BEARINGS, axis=1))
        steepest = rise / slant
        # By doubled reaches: np.maximum.accumulate takes three times as long.
        reach = 1
        while reach < len(steepest):
            steepest[reach:] = np.maximum(steepest[reach:], steepest[:-reach])
            reach *= 2
        return cls(pose, half, np.ascontiguousarray(steepest.T, np.float64))

    def nearness(self, rays: Rays) -> Floats:
        low = float(rays.sine.min())
        high = max(float(self.sines[:, -1].max()), low + 1e-3)
        levels = np.linspace(low, high, ELEVATIONS)
        # Just under the crest: a ray above it would pass on to the next bearing.
        wanted = np.minimum(np.maximum(levels, self.sines[:, :1]), self.sines[:, -1:] - _TINY)
        table = np.interp((wanted + _APART).ravel(), (self.sines + _APART).ravel(), _NEARNESS)
        level = (rays.sine - np.float32(low)) / np.float32(levels[1] - levels[0])
        return _sample(table.reshape(BEARINGS, -1), level, self._column(rays.turn))

    def crest(self, rays: Rays) -> Floats:
        # Twice, because a place on the table's edge takes OpenCV three times as long.
        line = np.repeat(self.sines[:, -1:], 2, axis=1)
        return _sample(line, np.zeros_like(rays.sine), self._column(rays.turn))

    def cover(self, places: Doubles, before: Doubles) -> Doubles:
        east, north = (places - (self.pose.x, self.pose.y)).T
        cos, sin = math.cos(self.pose.yaw), math.sin(self.pose.yaw)
        column = self._column(turn_of(east * cos + north * sin, north * cos - east * sin))
        left = np.minimum(np.maximum(column.astype(int), 0), BEARINGS - 2)
        # Two samples nearer: nothing is hidden by the ground that it stands on.
        last = np.maximum(np.searchsorted(DISTANCES, before) - 2, 0)
        part = column - left
        sine = self.sines[left, last] * (1.0 - part) + self.sines[left + 1, last] * part
        sine = np.maximum(sine - HIDDEN_BELOW, -1.0 + _TINY)
        height = self.pose.z + np.hypot(east, north) * sine / np.sqrt(1.0 - sine**2)
        within = (column >= 0.0) & (column <= BEARINGS - 1)
        return np.where(within, height, -np.inf)

    def _column(self, turn: NDArray[Real]) -> NDArray[Real]:
        column: NDArray[Real] = (turn + np.float32(self.half)) * np.float32(
            (BEARINGS - 1) / 2.0 / self.half
        )
        return column


def _sample(table: NDArray[np.floating], columns: Floats, rows: Floats) -> Floats:
    edge = cv2.BORDER_REPLICATE
    values = table.astype(np.float32)
    return np.asarray(
        cv2.remap(values, columns, rows, cv2.INTER_LINEAR, borderMode=edge), np.float32
    )
