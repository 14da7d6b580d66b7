"""What colours the ground at its place: slow changes of tone, the light on slopes, soft sand."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.ground import NEUTRAL_TONE, Ground
from curiosity_sim.noise import Floats, fractal_noise
from curiosity_sim.rover.terrain import CELL_M, CELLS, HALF_M, look_up_grid
from curiosity_sim.rover.world import SoftGround, World

Pixels = NDArray[np.uint8]


# Soft sand: pale and greyish, in broad ripples. Blue, green, red.
SAND = np.array([1.75, 1.5, 1.3], np.float32)
RIPPLE_M = 1.1


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
    period = np.float32(ground.tones_m)
    return ground.tones.look_up(x / period, y / period)


def _grid(world: World, ground: Ground) -> Pixels:
    axis = (np.arange(CELLS) * CELL_M - HALF_M).astype(np.float32)
    x, y = np.meshgrid(axis, axis)
    factor = _tones(ground, x, y)[..., :3] * np.float32(1.0 / NEUTRAL_TONE)
    rng = np.random.default_rng((world.seed, 5))
    uneven = fractal_noise(rng, CELLS, 1.6, 0.04)
    for place in world.soft:
        factor += _sand(place, x, y, uneven)[..., None] * (SAND - factor)
    if not world.terrain.level:
        factor *= world.terrain.sunlight(world.sun.direction)[..., None]
    paint = np.clip(factor * NEUTRAL_TONE, 0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(paint, cv2.COLOR_BGR2BGRA), np.uint8)


def _sand(place: SoftGround, x: Floats, y: Floats, uneven: Floats) -> Floats:
    """How much of the ground is soft sand, with an uneven edge, and the ripples that betray it."""
    away = np.hypot(x - place.x, y - place.y) + 0.12 * place.radius * uneven
    cover = np.clip((place.radius - away) / (0.2 * place.radius) + 0.5, 0.0, 1.0)
    ripples = np.sin(math.tau / RIPPLE_M * (0.6 * x + 0.8 * y) + 1.5 * uneven)
    return np.asarray(cover * (0.72 + 0.28 * ripples), np.float32)
