"""What colours the ground at its place: slow changes of tone, the light on slopes, soft sand."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.ground import NEUTRAL_TONE, Ground
from curiosity_sim.camera.tiling import CHANNELS
from curiosity_sim.noise import Floats
from curiosity_sim.rover.terrain import CELL_M, CELLS, HALF_M, look_up_grid
from curiosity_sim.rover.world import World

Pixels = NDArray[np.uint8]


class Paint:
    """Factors on the colours of the ground; NEUTRAL_TONE is one.

    In a plain world the tones of the ground, which repeat. Else a grid like the terrain's.
    """

    def __init__(self, world: World, ground: Ground) -> None:
        self._ground = ground
        self._grid = None if world.terrain.level and not world.soft else _grid(world, ground)

    def at(self, x: Floats, y: Floats) -> Pixels:
        """The factors at places of the odom frame, m; four channels."""
        if self._grid is not None:
            return look_up_grid(self._grid, x, y)
        return _tones(self._ground, x, y)


def _tones(ground: Ground, x: Floats, y: Floats) -> Pixels:
    density = np.float32(ground.tones_per_m)
    return ground.tones.look_up(x * density, y * density)


def _grid(world: World, ground: Ground) -> Pixels:
    axis = (np.arange(CELLS) * CELL_M - HALF_M).astype(np.float32)
    x, y = np.meshgrid(axis, axis)
    paint = _tones(ground, x, y)
    if not world.terrain.level:
        light = world.terrain.shading(world.sun.direction) * NEUTRAL_TONE
        shade = cv2.merge([np.clip(light, 0, 255).astype(np.uint8)] * CHANNELS)
        cv2.multiply(paint, shade, paint, 1.0 / NEUTRAL_TONE)
    return paint
