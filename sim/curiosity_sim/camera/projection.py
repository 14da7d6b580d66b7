"""The projection from the odom frame to the picture, and the rays from its pixels.

What a ray meets changes smoothly from pixel to pixel, but for crests. Rays are followed for one
of CELL times CELL pixels, and for one row and column of cells around the picture.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
import math
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.rover.mast_geometry import CameraPose
from curiosity_sim.tiling_noise import Floats


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

    def widest_bearing(self, down: float) -> float:
        """The largest angle from the heading at which ground or horizon can be seen, in rad.

        `down` is the angle of the axis below the horizon. From pi/2 on, everything around the
        camera's foot may be seen.
        """
        low = down + math.atan(self.height / 2.0 / self.focal)
        ahead = math.cos(down) - self.height / 2.0 / self.focal * math.sin(max(down, 0.0))
        if low >= math.pi / 2.0 or ahead <= 0.0:
            return math.pi
        return math.atan(self.width / 2.0 / self.focal / ahead)


@dataclass(frozen=True)
class Eye:
    """A lens at a pose: the projection from the odom frame to the picture and its parts."""

    lens: Lens
    pose: CameraPose

    @cached_property
    def axes(self) -> Doubles:
        """Right, down and ahead of the camera as rows of unit vectors in the odom frame."""
        pose = self.pose
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        low, deep = math.cos(pose.down), math.sin(pose.down)
        axes = np.array(
            [(sin, -cos, 0.0), (-cos * deep, -sin * deep, -low), (cos * low, sin * low, -deep)]
        )
        if not pose.level:
            tilt, lean = math.cos(pose.roll), math.sin(pose.roll)
            axes[:2] = np.array([[tilt, lean], [-lean, tilt]]) @ axes[:2]
        return axes

    def see(self, points: Doubles) -> Doubles:
        """Points of the odom frame (..., 3) in m as right, down, ahead of the camera, in m."""
        pose = self.pose
        turned: Doubles = (points - (pose.x, pose.y, pose.z)) @ self.axes.T
        return turned

    def project(self, seen: Doubles) -> Doubles:
        """Column and row of points given by `see`; they must lie ahead."""
        flat: Doubles = seen[..., :2] / seen[..., 2:] * self.lens.focal + self.lens.centre
        return flat


Value = TypeVar('Value', np.float32, np.uint8)
Real = TypeVar('Real', np.float32, np.float64)

CELL = 4  # pixels


@dataclass(frozen=True)
class Rays:
    """The rays of a grid, as tables of one shape."""

    east: Floats  # direction over ground in the odom frame, of any length
    north: Floats
    level: Floats  # length of (east, north)
    length: Floats  # of the whole direction
    sine: Floats  # of the elevation
    forward: Floats  # direction over ground against the gaze, of the same length
    left: Floats
    turn: Floats  # against the gaze as `turn_of` measures it

    def below(self, first: int) -> Rays:
        """Those from the row `first` of the grid on."""
        return Rays(*(getattr(self, each.name)[first:] for each in fields(self)))


class Grid:
    """The cells of a lens."""

    def __init__(self, lens: Lens) -> None:
        self.rows, self.columns = -(-lens.height // CELL), -(-lens.width // CELL)
        column, row = lens.centre
        self._aside = ((_middles(self.columns) - column) / lens.focal).astype(np.float32)
        self._below = ((_middles(self.rows) - row) / lens.focal).astype(np.float32)[:, None]
        self._length = np.sqrt(np.float32(1.0) + self._aside**2 + self._below**2)

    def rays(self, eye: Eye) -> Rays:
        """The rays of a camera at a pose."""
        right, down, ahead = eye.axes.astype(np.float32)
        east, north, up = (
            (ahead[i] + self._aside * right[i]) + self._below * down[i] for i in range(3)
        )
        cos, sin = np.float32(math.cos(eye.pose.yaw)), np.float32(math.sin(eye.pose.yaw))
        forward, left = east * cos + north * sin, north * cos - east * sin
        return Rays(
            east=east,
            north=north,
            level=np.maximum(cv2.magnitude(east, north), np.float32(1e-6)),
            length=self._length,
            sine=up / self._length,
            forward=forward,
            left=left,
            turn=turn_of(forward, left),
        )


def spread(cells: NDArray[Value], size: int = CELL) -> NDArray[Value]:
    """Values of the pixels of all rows of cells but the first and the last one, neighbours only.

    The first and the last column stay, so that rows follow each other in memory. `size` is how
    many pixels a cell is wide.
    """
    pixels = cv2.resize(cells, None, fx=size, fy=size, interpolation=cv2.INTER_LINEAR)
    return np.asarray(pixels[size:-size], cells.dtype)


def turn_of(forward: NDArray[Real], left: NDArray[Real]) -> NDArray[Real]:
    """A measure of the angle from straight ahead that needs no trigonometry.

    It grows with the angle: 0 ahead, 1 to the left, -1 to the right, 2 and -2 behind.
    """
    side = np.maximum(np.abs(forward) + np.abs(left), np.float32(1e-12))
    turn: NDArray[Real] = np.copysign(np.float32(1.0) - forward / side, left)
    return turn


def direction_of(turn: Doubles) -> tuple[Doubles, Doubles]:
    """Forward and left, of length 1: the inverse of `turn_of`."""
    forward: Doubles = 1.0 - np.abs(turn)
    left: Doubles = np.copysign(1.0 - np.abs(forward), turn)
    length: Doubles = np.hypot(forward, left)
    return forward / length, left / length


def _middles(count: int) -> Floats:
    """Pixels in the middle of cells, from one cell before the picture to one behind it."""
    return (np.arange(-1, count + 1) * CELL + (CELL - 1) / 2.0).astype(np.float32)
