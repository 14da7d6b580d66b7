"""The height of the ground: a grid made from a seed, with hills and craters, level far away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
import math
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles
from curiosity_sim.tiling_noise import Floats, fractal_noise
from rover_common.config.settings import WorldSettings
from rover_common.config.settings.world import Feature, WorldStart

CELL_M = 0.25
CELLS = 1024
HALF_M = CELLS * CELL_M / 2.0  # the grid reaches so far from the odom frame's origin
FADE_FROM_M = 90.0  # from here on hills sink into the plain, down to it at the grid's edge
SMOOTHNESS = 2.2  # amplitude of the waves falls with their frequency to this power
SHADE = 0.5  # light in the shadow of a hill
PENUMBRA_M = 0.25  # so far below the edge of a hill's shadow it is at its darkest
RIM = 0.25  # height of a crater's rim as a fraction of its depth

Value = TypeVar('Value', np.float32, np.uint8)


@dataclass(frozen=True, eq=False)
class Terrain:
    """Heights in m at the corners of cells; row and column grow with y and x. Empty: all level."""

    heights: Floats

    @property
    def level(self) -> bool:
        """Whether there is nothing but a plane at height 0."""
        return not self.heights.size

    def height(self, x: float, y: float) -> float:
        """Height at one place, m."""
        if self.level:
            return 0.0
        column, row = (x + HALF_M) / CELL_M, (y + HALF_M) / CELL_M
        if not (0.0 <= column < CELLS - 1 and 0.0 <= row < CELLS - 1):
            return 0.0
        i, j = int(row), int(column)
        v, u = row - i, column - j
        (a, b), (c, d) = self._row(i)[j : j + 2], self._row(i + 1)[j : j + 2]
        return (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v

    def _row(self, number: int) -> list[float]:
        """A row of heights as a list, which is read faster; most rows never are."""
        row = self._rows.get(number)
        if row is None:
            row = self._rows[number] = self.heights[number].tolist()
        return row

    @cached_property
    def _rows(self) -> dict[int, list[float]]:
        return {}

    @cached_property
    def slopes(self) -> Terrain:
        """Tangents of the slope in the place of heights."""
        if self.level:
            return self
        return Terrain(np.hypot(*np.gradient(self.heights, CELL_M)).astype(np.float32))

    def heights_at(self, x: Floats, y: Floats) -> Floats:
        """Heights at many places, given as tables of one shape."""
        if self.level:
            return np.zeros_like(x)
        return sample_grid(self.heights, x, y)

    def sunlight(self, sun: tuple[float, float, float]) -> Floats:
        """Light on each corner of the grid as a factor: 1 on the level, less in shadow."""
        north, east = np.gradient(self.heights, CELL_M)
        x, y, z = sun
        facing = (z - x * east - y * north) / np.sqrt(1.0 + east**2 + north**2)
        lit = np.clip(0.35 + 0.65 * facing / z, 0.3, 1.6)
        shadow = np.clip(self._lift(sun) / PENUMBRA_M, 0.0, 1.0)
        return np.asarray(lit + shadow * (np.minimum(lit, SHADE) - lit), np.float32)

    def _lift(self, sun: tuple[float, float, float]) -> Floats:
        """How far each corner of the grid would have to rise to be in the sun, m."""
        x, y, z = sun
        level = math.hypot(x, y)
        steep = z / level
        lift = np.zeros_like(self.heights)
        reach = float(np.ptp(self.heights)) / steep
        for away in np.arange(2.0 * CELL_M, reach, 2.0 * CELL_M):
            step = away / CELL_M / level * np.array([x, y])
            moved = np.array([[1.0, 0.0, step[0]], [0.0, 1.0, step[1]]])
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            before = cv2.warpAffine(
                self.heights, moved, (CELLS, CELLS), flags=flags, borderMode=cv2.BORDER_REPLICATE
            )
            lift = np.maximum(lift, before - self.heights - np.float32(away * steep))
        return lift


LEVEL = Terrain(np.empty((0, 0), np.float32))


def sample_grid(grid: NDArray[Value], x: Floats, y: Floats) -> NDArray[Value]:
    """Values of a grid like the terrain's at places of the odom frame; outside, its edge's."""
    columns, rows = (x + HALF_M) / CELL_M, (y + HALF_M) / CELL_M
    edge = cv2.BORDER_REPLICATE
    return np.asarray(
        cv2.remap(grid, columns, rows, cv2.INTER_LINEAR, borderMode=edge), grid.dtype
    )


def make_terrain(world: WorldSettings, seed: int, start: WorldStart) -> Terrain:
    """The height field of a world; the same settings give the same one."""
    shapes = [feature for feature in world.features if feature.kind in ('hill', 'crater')]
    settings = world.terrain
    if not settings.relief_m and not shapes:
        return LEVEL
    axis = (np.arange(CELLS) * CELL_M - HALF_M).astype(np.float32)
    x, y = np.meshgrid(axis, axis)
    rng = np.random.default_rng((seed, 3))
    longest = settings.wavelength_m / (CELLS * CELL_M)
    heights = settings.relief_m * fractal_noise(rng, CELLS, SMOOTHNESS, longest)
    heights = heights * _smooth_step(
        np.hypot(x - start.x, y - start.y) - settings.level_radius_m, settings.wavelength_m / 3.0
    )
    heights = heights + sum(_shape(feature, x, y) for feature in shapes)
    heights *= 1.0 - _smooth_step(np.hypot(x, y) - FADE_FROM_M, HALF_M - FADE_FROM_M - 2.0)
    return Terrain(np.asarray(heights, np.float32))


def _smooth_step(distance: NDArray[np.floating], width: float) -> Doubles:
    """0 up to zero, 1 from `width` on."""
    part = np.clip(np.asarray(distance, np.float64) / width, 0.0, 1.0)
    step: Doubles = part * part * (3.0 - 2.0 * part)
    return step


def _shape(feature: Feature, x: Floats, y: Floats) -> Doubles:
    away = np.hypot(x - feature.x, y - feature.y) / feature.size_m
    tall = feature.height_m or 0.0
    if feature.kind == 'hill':
        return np.asarray(tall * (1.0 - _smooth_step(away, 1.0)), np.float64)
    rim = RIM * np.exp(-(((away - 1.0) / 0.18) ** 2))
    return np.asarray(tall * (rim - (1.0 - _smooth_step(away, 1.0))), np.float64)


def steepest(terrain: Terrain, places: Iterable[tuple[float, float]]) -> float:
    """The largest slope at some places, rad."""
    slopes = (terrain.slopes.height(x, y) for x, y in places)
    return math.atan(max(slopes, default=0.0))
