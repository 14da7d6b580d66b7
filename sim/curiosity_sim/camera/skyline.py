"""Where rays meet uneven ground: what hides what, by bearing, distance and elevation.

Along each bearing the ground is sampled at growing distances. The steepest elevation met so far
tells how far a ray of a given elevation flies: to the first sample that stands as high.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.view import Eye
from curiosity_sim.noise import Floats
from curiosity_sim.rover.mast_geometry import CameraPose
from curiosity_sim.rover.terrain import Terrain

Doubles = NDArray[np.float64]

BEARINGS = 240
ELEVATIONS = 1024
NEAREST_M = 0.6
FARTHEST_M = 3000.0  # beyond, a ray meets nothing: the same as over level ground
DISTANCES = np.concatenate(
    [np.geomspace(NEAREST_M, 160.0, 170), np.geomspace(180.0, FARTHEST_M, 8)]
)
MARGIN_RAD = 0.05
# Sines of the angle by which the top of a rock must stand under the skyline to be hidden.
HIDDEN_BELOW = 0.002


@dataclass(frozen=True)
class Skyline:
    """The ground as seen from one place. `sines[b, d]`: steepest elevation up to DISTANCES[d].

    Bearings run from `first`, rad against the gaze, in steps of `step`.
    """

    pose: CameraPose
    first: float
    step: float
    sines: Doubles

    @classmethod
    def of(cls, terrain: Terrain, eye: Eye) -> Skyline:
        """Samples the terrain around a camera, within its field of view."""
        pose = eye.pose
        half = min(eye.lens.widest_bearing(pose.down) + abs(pose.roll) + MARGIN_RAD, math.pi)
        bearings = np.linspace(-half, half, BEARINGS)
        away = pose.yaw + bearings[:, None]
        x, y = pose.x + np.cos(away) * DISTANCES, pose.y + np.sin(away) * DISTANCES
        rise = terrain.heights_at(x.astype(np.float32), y.astype(np.float32)) - pose.z
        sines = np.maximum.accumulate(rise / np.hypot(rise, DISTANCES), axis=1)
        return cls(pose, -half, 2.0 * half / (BEARINGS - 1), sines)

    def nearness(self, bearing: Floats, sine: Floats) -> Floats:
        """1 / distance along the ground, per m, at which rays meet it; 0: they meet the sky.

        Args:
            bearing: Against the gaze, rad, within pi.
            sine: Of the elevation.
        """
        low, high = float(sine.min()), float(self.sines.max()) + 1e-3
        levels = np.linspace(low, max(high, low + 1e-3), ELEVATIONS)
        near = 1.0 / DISTANCES
        table = np.array(
            [np.interp(levels, sines, near, right=0.0) for sines in self.sines], np.float32
        )
        columns = (bearing - np.float32(self.first)) / np.float32(self.step)
        rows = (sine - np.float32(low)) / np.float32(levels[1] - levels[0])
        edge = cv2.BORDER_REPLICATE
        return np.asarray(
            cv2.remap(table.T, columns, rows, cv2.INTER_LINEAR, borderMode=edge), np.float32
        )

    def hides(self, places: Doubles, tops: Doubles) -> NDArray[np.bool_]:
        """Whether things that reach up to `tops` at `places` (n, 2) stand behind a hill."""
        east, north = (places - (self.pose.x, self.pose.y)).T
        away = np.maximum(np.hypot(east, north), NEAREST_M)
        bearing = (np.arctan2(north, east) - self.pose.yaw + math.pi) % math.tau - math.pi
        column = np.rint((bearing - self.first) / self.step).astype(int)
        within = (column >= 0) & (column < BEARINGS)
        before = np.maximum(np.searchsorted(DISTANCES, away) - 2, 0)
        rise = tops - self.pose.z
        skyline = self.sines[np.clip(column, 0, BEARINGS - 1), before]
        hidden: NDArray[np.bool_] = within & (rise / np.hypot(rise, away) < skyline - HIDDEN_BELOW)
        return hidden
