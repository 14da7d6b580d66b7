"""Where a camera looks: rays for a grid of cells, between which pixels are interpolated.

What a ray meets changes smoothly from pixel to pixel, but for crests. Rays are followed for one
of CELL times CELL pixels, and for one row and column of cells around the picture.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
import math
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.camera.projection import Eye, Lens
from curiosity_sim.tiling_noise import Floats

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
