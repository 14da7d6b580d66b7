"""All that is too far away to shift when the rover drives: sky, sun and the hills around."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
import math

import cv2
import numpy as np
from numpy.random import Generator

from curiosity_sim.array_types import Pixels
from curiosity_sim.camera.projection import CELL, Rays, spread
from curiosity_sim.rover.rocks import bgr
from curiosity_sim.tiling_noise import Floats, fractal_line
from rover_common.config.settings.world import AppearanceSettings, SunSettings

COLUMNS = 4096
WIDEST_RAD = 2.15  # on either side of the gaze; a picture may reach so far
PIXELS_PER_RAD = COLUMNS / math.tau
TOP_RAD = 1.53
ROWS = 1024
COARSE = 4  # pixels of the sky that are drawn as one

# Blue, green, red.
ZENITH = np.array([0.573, 0.637, 0.708], np.float32)  # of the haze's light, straight up
SUN_GLOW = np.array([96.0, 74.0, 52.0], np.float32)
SUN_RAD = 0.011  # radius of its disc, drawn larger than it is
HILL = 0.704  # of the light of the dust that lies on it


@dataclass(frozen=True)
class Ridge:
    """A line of hills: heights in rad above the horizon and how much haze lies before it."""

    height: float
    roughness: float
    terraces: float  # 0 rolling, 1 flat-topped
    haze: float


RIDGES = (
    Ridge(height=0.170, roughness=1.7, terraces=0.0, haze=0.76),
    Ridge(height=0.085, roughness=1.5, terraces=1.0, haze=0.55),
    Ridge(height=0.030, roughness=1.2, terraces=0.0, haze=0.38),
)


class Panorama:
    """The whole horizon as a lens needs it: about as fine as the lens is."""

    def __init__(self, picture: Pixels, focal: float) -> None:
        """Prepares a picture of `make_panorama` for a focal length in pixels."""
        # No finer than can be seen: what is left out would flicker from picture to picture.
        fineness = min(focal / PIXELS_PER_RAD, 1.0)
        small = cv2.resize(picture, None, fx=fineness, fy=fineness, interpolation=cv2.INTER_AREA)
        self._rows, self._columns = small.shape[:2]
        self._per_rad = self._columns / math.tau
        self._widest = round(WIDEST_RAD * self._per_rad)
        # Its ends again beyond its ends: OpenCV's own wrap is slow.
        wide = np.pad(small, ((0, 0), (self._widest, self._widest), (0, 0)), mode='wrap')
        self._picture = np.ascontiguousarray(cv2.cvtColor(wide, cv2.COLOR_BGR2BGRA))

    def sample(self, yaw: float, rays: Rays, end: int) -> Pixels:
        """What is seen at `yaw` in the rows of cells before `end`, four channels.

        Looked up for every other pixel: nothing in the sky is finer.
        """
        rows, per_rad = np.s_[: end + 2], np.float32(self._per_rad)
        gaze = self._widest + -yaw * self._per_rad % self._columns
        aside = np.arctan2(rays.left[rows], rays.forward[rows]) * per_rad
        column = np.float32(gaze) - np.clip(aside, -self._widest, self._widest)
        row = (np.float32(TOP_RAD) - np.arcsin(rays.sine[rows])) * per_rad
        places = spread(column, CELL // 2), spread(np.clip(row, 0, self._rows - 1), CELL // 2)
        half = cv2.remap(self._picture, *places, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.resize(half, None, fx=2, fy=2), np.uint8)


@lru_cache(maxsize=2)
def make_panorama(seed: int, sun: SunSettings, look: AppearanceSettings) -> Pixels:
    """Sky, sun and hills of a seed; cameras of one world share them.

    Column = -azimuth, row = TOP_RAD - elevation, both in PIXELS_PER_RAD.
    """
    rng = np.random.default_rng((seed, 2))
    _, elevation = _directions(1)
    picture = _sky(sun, np.array(bgr(look.haze), np.float32))
    hill = HILL * np.array(bgr(look.dust), np.float32)
    for ridge in RIDGES:
        _draw_ridge(picture, elevation, ridge, rng, sun, hill)
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def _sky(sun: SunSettings, haze: Floats) -> Floats:
    """Haze, glow and the sun's disc. Haze and glow are drawn coarsely: nothing in them is fine."""
    azimuth, elevation = _directions(COARSE)
    away = _away_from(sun, azimuth, elevation)[..., None]
    height = np.clip(np.abs(elevation) / 0.9, 0.0, 1.0)[..., None] ** 0.7
    glow = SUN_GLOW * np.exp(-((away / 0.32) ** 2)) + 60.0 * np.exp(-((away / 0.06) ** 2))
    light = haze * (1.0 - height * (1.0 - ZENITH)) + glow
    sky = np.asarray(
        cv2.resize(light, (COLUMNS, ROWS), interpolation=cv2.INTER_LINEAR), np.float32
    )
    azimuth, elevation = _directions(1)
    around = np.abs(elevation[:, 0] - sun.elevation_rad) < 2.0 * SUN_RAD
    away = _away_from(sun, azimuth, elevation[around])[..., None]
    disc = np.clip((SUN_RAD - away) * PIXELS_PER_RAD + 0.5, 0.0, 1.0)
    sky[around] += disc * (255.0 - sky[around])
    return sky


def _directions(step: int) -> tuple[Floats, Floats]:
    """Azimuth (1, columns), elevation (rows, 1) of middles of `step` x `step` pixels, in rad."""
    middle = (step - 1) / 2.0
    column = np.arange(COLUMNS // step, dtype=np.float32)[None, :] * step + middle
    row = np.arange(ROWS // step, dtype=np.float32)[:, None] * step + middle
    azimuth, elevation = -column / PIXELS_PER_RAD, TOP_RAD - row / PIXELS_PER_RAD
    return azimuth.astype(np.float32), elevation.astype(np.float32)


def _away_from(sun: SunSettings, azimuth: Floats, elevation: Floats) -> Floats:
    """Angle in rad between the sun and each direction."""
    x, y, z = sun.direction
    level = x * np.cos(azimuth) + y * np.sin(azimuth)
    cosine = np.cos(elevation) * level + np.sin(elevation) * z
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)), np.float32)


def _draw_ridge(
    picture: Floats,
    elevation: Floats,
    ridge: Ridge,
    rng: Generator,
    sun: SunSettings,
    hill: Floats,
) -> None:
    """Draws one line of hills over what lies behind it."""
    top = int((TOP_RAD - ridge.height) * PIXELS_PER_RAD) - 1
    picture, elevation = picture[top:], elevation[top:]
    crest = _crest(ridge, rng)
    texture = 0.5 * fractal_line(rng, COLUMNS, 0.8)[None, :]
    strata = np.sin((elevation + 0.1 * crest[None, :]) * 620.0 + texture)
    # A crest that falls to the right faces right: lit when the sun stands there.
    azimuth = -np.arange(COLUMNS) / PIXELS_PER_RAD
    slope = np.clip((np.roll(crest, -1) - np.roll(crest, 1)) * PIXELS_PER_RAD / 2.0, -1.0, 1.0)
    facing = slope * np.sin(azimuth - sun.azimuth_rad)
    tone = 1.0 + 0.5 * facing[None, :] + 0.08 * texture + 0.05 * ridge.terraces * strata
    # Haze lies thicker at the foot of the hills.
    depth = np.clip(elevation / ridge.height, 0.0, 1.0)
    clear = (1.0 - ridge.haze) * (1.0 - 0.8 * (1.0 - depth) ** 2)
    # The haze before a hill shines as the sky behind it does.
    cover = clear * np.clip((crest[None, :] - elevation) * PIXELS_PER_RAD + 0.5, 0.0, 1.0)
    picture += cover[..., None] * (hill * tone[..., None] - picture)


def _crest(ridge: Ridge, rng: Generator) -> Floats:
    """Height of the ridge in rad by column."""
    line = fractal_line(rng, COLUMNS, ridge.roughness)
    mesas = 0.5 + 0.5 * np.tanh(6.0 * line) + 0.02 * fractal_line(rng, COLUMNS, 0.9)
    hills = 0.45 + 0.2 * line
    shape = 0.08 + ridge.terraces * 0.75 * mesas + (1.0 - ridge.terraces) * hills
    return np.asarray(ridge.height * np.clip(shape, 0.05, 1.0), np.float32)
