"""Where the rays of a camera's pixels go: prepared once per gaze, used for many pictures."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.panorama import PIXELS_PER_RAD, ROWS, TOP_RAD
from curiosity_sim.rover.mast_geometry import CameraPose

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

FARTHEST_M = 3000.0


@dataclass(frozen=True)
class Lens:
    """A pinhole camera without distortion; square pixels, the axis in the picture's middle."""

    width: int
    height: int
    horizontal_fov: float  # rad

    @property
    def focal(self) -> float:
        """Focal length in pixels."""
        return self.width / 2.0 / math.tan(self.horizontal_fov / 2.0)

    @property
    def centre(self) -> tuple[float, float]:
        """Column and row of the axis; pixel (0, 0) has its middle at (0, 0)."""
        return (self.width - 1) / 2.0, (self.height - 1) / 2.0


@dataclass(frozen=True)
class Eye:
    """A lens at a pose: the projection from the odom frame to the picture and its parts."""

    lens: Lens
    pose: CameraPose

    def see(self, points: Doubles) -> Doubles:
        """Points of the odom frame (..., 3) in m as right, down, ahead of the camera, in m."""
        pose = self.pose
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        low, deep = math.cos(pose.down), math.sin(pose.down)
        right = (sin, -cos, 0.0)
        down = (-cos * deep, -sin * deep, -low)
        ahead = (cos * low, sin * low, -deep)
        turned: Doubles = (points - (pose.x, pose.y, pose.z)) @ np.array([right, down, ahead]).T
        return turned

    def project(self, seen: Doubles) -> Doubles:
        """Column and row of points given by `see`; they must lie ahead."""
        flat: Doubles = seen[..., :2] / seen[..., 2:] * self.lens.focal + self.lens.centre
        return flat


@dataclass(frozen=True)
class Gaze:
    """The rays of all pixels for one height and one angle below the horizon, at yaw 0.

    Rows from `horizon` on see the ground: `ahead` and `left` in m from the camera's foot.
    Rows before `sky_end` see the sky: column and row in the panorama.
    """

    horizon: int
    ahead: Floats
    left: Floats
    distance: Floats  # m along the ground, in the middle column of each ground row
    slant: Floats  # m from the camera to the same points
    sky_end: int
    sky_column: Floats
    sky_row: Floats


def make_gaze(lens: Lens, height: float, down: float) -> Gaze:
    """Prepares the rays: expensive, to be kept while height and angle stay."""
    column, row = lens.centre
    aside = (np.arange(lens.width) - column) / lens.focal
    below = ((np.arange(lens.height) - row) / lens.focal)[:, None]
    ahead = math.cos(down) - below * math.sin(down)
    up = -math.sin(down) - below * math.cos(down)
    # Without roll, a row has one height; those that fall shallower than this reach no ground.
    falls = (-up[:, 0]) > height / FARTHEST_M
    horizon = int(np.argmax(falls)) if falls.any() else lens.height
    reach = height / -up[horizon:]
    ground_ahead = reach * ahead[horizon:]
    middle = np.abs(ground_ahead[:, 0])
    sky_end = min(horizon + 1, lens.height)
    level = np.hypot(ahead[:sky_end], aside)
    bearing = np.arctan2(-aside[None, :], ahead[:sky_end])
    elevation = np.arctan2(up[:sky_end], level)
    return Gaze(
        horizon=horizon,
        ahead=np.repeat(ground_ahead, lens.width, axis=1).astype(np.float32),
        left=(-reach * aside).astype(np.float32),
        distance=middle.astype(np.float32),
        slant=np.hypot(middle, height).astype(np.float32),
        sky_end=sky_end,
        sky_column=(-bearing * PIXELS_PER_RAD).astype(np.float32),
        sky_row=np.clip((TOP_RAD - elevation) * PIXELS_PER_RAD, 0, ROWS - 1).astype(np.float32),
    )
