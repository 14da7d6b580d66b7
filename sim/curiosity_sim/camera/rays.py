"""The directions of all pixels of a camera at a pose; unlike `Gaze`, with roll and over hills."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.panorama import PIXELS_PER_RAD, ROWS, TOP_RAD
from curiosity_sim.camera.view import Eye
from curiosity_sim.noise import Floats

COARSE = 4  # angles for the sky are computed for one pixel of so many, each way


@dataclass(frozen=True)
class Rays:
    """Per pixel: direction over ground in the odom frame (of any length), and elevation."""

    east: Floats
    north: Floats
    level: Floats  # length of (east, north)
    sine: Floats  # of the elevation
    bearing: Floats  # against the gaze, rad, within pi; to 5 mrad

    @classmethod
    def of(cls, eye: Eye) -> Rays:
        """The rays of every pixel."""
        lens = eye.lens
        column, row = lens.centre
        aside = ((np.arange(lens.width) - column) / lens.focal).astype(np.float32)[None, :]
        below = ((np.arange(lens.height) - row) / lens.focal).astype(np.float32)[:, None]
        right, down, ahead = eye.axes.astype(np.float32)
        east, north, up = (ahead[i] + aside * right[i] + below * down[i] for i in range(3))
        forward, left = _turned(eye.pose.yaw, east, north)
        # OpenCV's phase runs from 0 to 2 pi: turned half round, the gaze lies in the middle.
        bearing = cv2.phase(-forward, -left) - np.float32(np.pi)
        length = np.sqrt(1.0 + aside**2 + below**2)
        return cls(east, north, cv2.magnitude(east, north), up / length, bearing)

    def sky(self, rows: int) -> tuple[Floats, Floats]:
        """Columns and rows in the panorama for the picture's first rows."""
        coarse = np.s_[: rows + COARSE : COARSE, ::COARSE]
        azimuth = np.arctan2(self.north[coarse], self.east[coarse])
        azimuth = np.unwrap(np.unwrap(azimuth, axis=1), axis=0)
        elevation = np.arcsin(self.sine[coarse])
        up = np.clip((TOP_RAD - elevation) * PIXELS_PER_RAD, 0, ROWS - 1)
        shape = self.east.shape
        return _spread(-azimuth * PIXELS_PER_RAD, shape)[:rows], _spread(up, shape)[:rows]


def _turned(yaw: float, east: Floats, north: Floats) -> tuple[Floats, Floats]:
    cos, sin = np.float32(np.cos(yaw)), np.float32(np.sin(yaw))
    return east * cos + north * sin, north * cos - east * sin


def _spread(values: NDArray[np.floating], shape: tuple[int, ...]) -> Floats:
    """Values of each COARSE-th pixel, for all: pixel (0, 0) keeps its place."""
    rows, columns = min(values.shape[0] * COARSE, shape[0]), shape[1]
    scale = np.array([[COARSE, 0.0, 0.0], [0.0, COARSE, 0.0]])
    size = (columns, rows)
    return np.asarray(
        cv2.warpAffine(values, scale, size, borderMode=cv2.BORDER_REPLICATE), np.float32
    )
