"""The ground's texture: a lit tile of sand, ripples and pebbles, and how tiles are looked up.

`cv2.remap` with BORDER_WRAP takes a slow path for each pixel beyond the edge (measured: nine
times slower). Here places are wrapped before, and one more row and column hold the neighbours
beyond the edge. Four channels, because OpenCV handles them twice as fast as three.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
import math
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from curiosity_sim.array_types import Pixels
from curiosity_sim.camera.projection import CELL, spread
from curiosity_sim.rover.rocks import bgr
from curiosity_sim.tiling_noise import Floats, fractal_noise
from rover_common.config.settings.world import AppearanceSettings, SunSettings

CHANNELS = 4  # blue, green, red and one unused


class Tiling:
    """A picture of one level that repeats for ever."""

    def __init__(self, picture: Pixels) -> None:
        """Prepares a square picture of three channels."""
        self._framed = _framed(picture)
        self._edge = np.float32(len(picture))

    def sample(self, columns: Floats, rows: Floats) -> Pixels:
        """Colours at the given places; the picture repeats at each whole number."""
        across, down = ((cells - np.floor(cells)) * self._edge for cells in (columns, rows))
        return np.asarray(cv2.remap(self._framed, across, down, cv2.INTER_LINEAR), np.uint8)


class Pyramid:
    """A picture that repeats for ever, in levels of which each is half as fine as the one before.

    All levels stand below each other in one array, from which each cell of a camera's picture
    takes its own.

    Attributes:
        edge: Of the finest level, in pixels.
        levels: How many there are.
    """

    def __init__(self, picture: Pixels, levels: int) -> None:
        """Prepares a picture of three channels whose edges are one power of two."""
        edge: int = picture.shape[0]
        if picture.shape[1] != edge or edge % (1 << (levels - 1)):
            raise ValueError(
                f'A picture of {picture.shape[:2]} pixels has no {levels} levels: both edges '
                f'must be the same multiple of {1 << (levels - 1)}.'
            )
        self.edge, self.levels = edge, levels
        pictures = [picture]
        for _ in range(levels - 1):
            half = cv2.resize(pictures[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            pictures.append(np.asarray(half, np.uint8))
        self._edges = np.array([len(each) for each in pictures], np.float32)
        framed = [_framed(each) for each in pictures]
        self._tops = np.cumsum([0, *(len(each) for each in framed[:-1])]).astype(np.float32)
        width = framed[0].shape[1]
        below = [np.pad(each, ((0, 0), (0, width - each.shape[1]), (0, 0))) for each in framed]
        self._atlas = np.concatenate(below)

    def sample(self, columns: Floats, rows: Floats, levels: NDArray[np.intp]) -> Pixels:
        """Colours of the pixels of cells.

        Args:
            columns: Places of cells; the picture repeats at each whole number. See `spread`.
            rows: The same.
            levels: For each cell whose pixels `spread` gives.
        """
        edges = _wide(self._edges[levels])
        across, down = spread(columns), spread(rows)
        for places in (across, down):
            places -= np.floor(places)
            blocks = _blocks(places)
            blocks *= edges
        blocks += _wide(self._tops[levels])
        return np.asarray(cv2.remap(self._atlas, across, down, cv2.INTER_LINEAR), np.uint8)


def _wide(cells: Floats) -> Floats:
    """Values of cells for each of their pixels in a row, ready to be spread over CELL rows."""
    return np.repeat(cells, CELL, axis=1)[:, None]


def _blocks(pixels: Floats) -> Floats:
    """The same memory, with the CELL rows of each row of cells together."""
    return pixels.reshape(-1, CELL, pixels.shape[1])


def _framed(picture: Pixels) -> Pixels:
    """Four channels, with the first row and column again behind the last ones."""
    wrapped = np.pad(picture, ((0, 1), (0, 1), (0, 0)), mode='wrap')
    return np.ascontiguousarray(cv2.cvtColor(wrapped, cv2.COLOR_BGR2BGRA))


TILE_M = 12.8
FINEST_EDGE = 2048  # texels of 6 mm
FINEST_LEVELS = 8  # each half as fine as the one before
NEAR_M = 2.5  # a texel of the first level is at most what a pixel covers so far away
MOST_HALVINGS = 4  # for cameras of 40 pixels; below that the noise would have too few points
PEBBLES = 2600
RIPPLES = 46  # crests per tile
TONE_M = 410.0
TONE_PIXELS = 512
NEUTRAL_TONE = 128  # a tone of this value leaves the tile as it is

# Blue, green, red.
PEBBLE = (72.0, 84.0, 106.0)


@dataclass(frozen=True)
class Ground:
    """What lies on the ground, repeated for ever.

    Column and row grow with x and y of the odom frame. `texture` repeats after `tile_m`, `tones`
    (per-channel factors, NEUTRAL_TONE is one) after `tones_m`.
    """

    texture: Pyramid
    tones: Tiling
    tile_m: float = TILE_M
    tones_m: float = TONE_M

    @property
    def texels_per_m(self) -> float:
        """Of the finest level of the texture."""
        return self.texture.edge / self.tile_m


@lru_cache(maxsize=2)
def make_ground(seed: int, sun: SunSettings, look: AppearanceSettings, halvings: int) -> Ground:
    """The ground of a seed; cameras of one world share it. `halvings`: see `halvings_for`."""
    rng = np.random.default_rng((seed, 1))
    tile = _tile(rng, sun, look, FINEST_EDGE >> halvings)
    return Ground(Pyramid(tile, FINEST_LEVELS - halvings), Tiling(_tones(rng)))


def halvings_for(focal: float) -> int:
    """How often the finest texture may be halved for a camera of this focal length in pixels."""
    coarser = NEAR_M / focal / (TILE_M / FINEST_EDGE)
    return min(max(math.floor(math.log2(coarser)), 0), MOST_HALVINGS)


def _tile(rng: Generator, sun: SunSettings, look: AppearanceSettings, edge: int) -> Pixels:
    pebbles, stone = _pebbles(rng, edge)
    grain = fractal_noise(rng, edge, 1.1, 0.05)
    finest_texels = 0.5 * grain + _ripples(rng, edge)
    height = np.float32(edge / FINEST_EDGE) * finest_texels + pebbles
    light = _lit(height, sun)
    patches = np.clip(0.45 + 0.22 * fractal_noise(rng, edge, 1.4, 0.5), 0.0, 1.0)
    tile = np.empty((edge, edge, 3), np.uint8)
    colours = zip(bgr(look.dust), bgr(look.sand), PEBBLE, strict=True)
    for channel, (dust, sand, pebble) in enumerate(colours):
        colour = sand + patches * np.float32(dust - sand)
        colour += stone * (pebble - colour)
        tile[..., channel] = np.clip(colour * light, 0, 255)
    return tile


def _ripples(rng: Generator, edge: int) -> Floats:
    """Wind ripples: bent crests, here strong and there gone."""
    rows = np.arange(edge, dtype=np.float32)[:, None] / edge
    columns = np.arange(edge, dtype=np.float32)[None, :] / edge
    bend = _coarse(rng, edge, 2.0) * 0.035
    strength = np.clip(0.5 + _coarse(rng, edge, 1.6), 0.0, 1.6)
    phase = 2.0 * np.pi * (RIPPLES * (columns + bend) + 9.0 * rows)
    return np.asarray(strength * np.sin(phase) * 1.1, np.float32)


def _coarse(rng: Generator, edge: int, slope: float) -> Floats:
    small = fractal_noise(rng, edge // 8, slope)
    wrapped = np.pad(small, 2, mode='wrap')
    large = cv2.resize(wrapped, None, fx=8, fy=8, interpolation=cv2.INTER_LINEAR)
    return np.asarray(large[16:-16, 16:-16], np.float32)


def _pebbles(rng: Generator, edge: int) -> tuple[Floats, Floats]:
    """Height and cover of small stones, in clusters. What is smaller than a texel is left out."""
    height = np.zeros((edge, edge), np.float32)
    cover = np.zeros_like(height)
    scale = edge / FINEST_EDGE
    crowd = rng.uniform(0, edge, (26, 2))
    for _ in range(PEBBLES):
        row, column = crowd[rng.integers(len(crowd))] + rng.normal(0.0, 190.0 * scale, 2)
        radius = min(2.0 * (1.0 + rng.pareto(2.2)), 16.0) * scale
        stretch = rng.uniform(0.8, 1.25)
        if radius >= 1.0:
            _stamp(height, cover, (int(row), int(column)), radius, stretch)
    return height, cover


def _stamp(
    height: Floats, cover: Floats, centre: tuple[int, int], radius: float, stretch: float
) -> None:
    edge, reach = len(height), math.ceil(radius * 1.5)
    span = np.arange(-reach, reach + 1)
    square = (span[:, None] / stretch) ** 2 + (span[None, :] * stretch) ** 2
    dome = np.sqrt(np.maximum(1.0 - square / radius**2, 0.0)).astype(np.float32)
    where: Any = tuple(slice(at - reach, at + reach + 1) for at in centre)
    if any(not reach <= at < edge - reach for at in centre):  # it continues at the opposite edge
        where = np.ix_(*((span + at) % edge for at in centre))
    height[where] = np.maximum(height[where], dome * radius * 1.2)
    cover[where] = np.maximum(cover[where], np.minimum(dome * 3.0, 1.0))


def _lit(height: Floats, sun: SunSettings) -> Floats:
    """Brightness of each point of a relief under the sun, about 1 on the level."""
    east = 0.25 * (np.roll(height, -1, 1) - np.roll(height, 1, 1))
    north = 0.25 * (np.roll(height, -1, 0) - np.roll(height, 1, 0))
    x, y, z = sun.direction
    facing = (z - x * east - y * north) / np.sqrt(1.0 + east**2 + north**2)
    return np.clip(0.42 + 0.58 * facing / z, 0.25, 1.7).astype(np.float32)


def _tones(rng: Generator) -> Pixels:
    """Sand sheets and dust, hundreds of metres wide, so that no two tiles look the same."""
    light = fractal_noise(rng, TONE_PIXELS, 1.5, 0.4)
    warmth = fractal_noise(rng, TONE_PIXELS, 1.8, 0.5)
    tint = np.array([-0.05, -0.01, 0.03], np.float32)
    factor = 1.0 + 0.13 * light[..., None] + warmth[..., None] * tint
    return np.asarray(np.clip(NEUTRAL_TONE * factor, 70, 190), np.uint8)
