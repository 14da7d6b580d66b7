"""Uneven ground and the sky above it, pixel by pixel. Level worlds are drawn faster elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.camera.ground import LEVELS, TEXELS_PER_M, Ground
from curiosity_sim.camera.ground_rows import LIGHT_SCALE, SHARPNESS
from curiosity_sim.camera.haze import Haze
from curiosity_sim.camera.painter import draw_shadows
from curiosity_sim.camera.rays import Rays
from curiosity_sim.camera.skyline import FARTHEST_M, Skyline
from curiosity_sim.camera.tiling import CHANNELS, Tiling
from curiosity_sim.camera.view import Eye
from curiosity_sim.noise import Floats
from curiosity_sim.rover.terrain import look_up_grid
from curiosity_sim.rover.world import World

Doubles = NDArray[np.float64]
Pixels = NDArray[np.uint8]

MIDDLE = np.s_[LIGHT_SCALE // 2 :: LIGHT_SCALE, LIGHT_SCALE // 2 :: LIGHT_SCALE]
COLUMN_SAMPLE = 16  # every so many columns count for the sharpness of a row
EYE_HEIGHT_M = 2.1  # above the ground, about; tells how slanted the rays fall
LARGEST_TEXEL = 32_000.0  # OpenCV takes texture coordinates of 16 bits


@dataclass(frozen=True)
class HillyView:
    """What the rays of one picture meet."""

    eye: Eye
    rays: Rays
    skyline: Skyline
    distance: Floats  # m along the ground per pixel; FARTHEST_M and more is sky


class Hills:
    """Draws the ground of a world with hills."""

    def __init__(self, world: World, ground: Ground, panorama: Tiling, air: Haze) -> None:
        self._terrain = world.terrain
        self._ground = ground
        self._panorama = panorama
        self._air = air
        self._shading = world.terrain.shading(world.sun.direction)
        clearness = np.arange(256)[:, None]
        light = (255 - clearness) / 255.0 * self._air.colour
        self._haze = np.rint(np.column_stack([light, np.zeros(256)])).astype(np.uint8)[None]

    def look(self, eye: Eye) -> HillyView:
        """Follows the rays of a camera."""
        rays = Rays.of(eye)
        skyline = Skyline.of(self._terrain, eye)
        nearness = np.maximum(skyline.nearness(rays.bearing, rays.sine), 1.0 / (2 * FARTHEST_M))
        return HillyView(eye, rays, skyline, np.float32(1.0) / nearness)

    def draw(self, view: HillyView, shadows: Doubles, dark: int, full_light: int) -> Pixels:
        """Sky and ground of one picture with these shadows, four channels."""
        height, width = view.distance.shape
        reach = view.distance / np.maximum(view.rays.level, np.float32(1e-6))
        east, north = view.rays.east * reach, view.rays.north * reach
        picture = np.empty((height, width, CHANNELS), np.uint8)
        for level, start, end in _bands(view):
            self._texture(picture, level, view.eye, east, north, np.s_[start:end])
        light = self._light(view, east[MIDDLE], north[MIDDLE], shadows, dark)
        cv2.multiply(picture, light, picture, 1.0 / full_light)
        clearness = np.rint(255.0 * cv2.exp(view.distance * np.float32(-1.0 / self._air.length)))
        clear = cv2.merge([clearness.astype(np.uint8)] * CHANNELS)
        cv2.multiply(picture, clear, picture, 1.0 / 255.0)
        cv2.add(picture, cv2.LUT(clear, self._haze), picture)
        self._draw_sky(picture, view)
        return picture

    def _texture(
        self, picture: Pixels, level: int, eye: Eye, east: Floats, north: Floats, rows: slice
    ) -> None:
        tile = self._ground.tiles[level]
        density = np.float32(self._ground.pixels_per_m / 2**level)
        height, width = tile.shape
        column = east[rows] * density + np.float32(eye.pose.x * density % width)
        row = north[rows] * density + np.float32(eye.pose.y * density % height)
        limit = LARGEST_TEXEL
        picture[rows] = tile.look_up(np.clip(column, -limit, limit), np.clip(row, -limit, limit))

    def _light(
        self, view: HillyView, east: Floats, north: Floats, shadows: Doubles, dark: int
    ) -> Pixels:
        """Tones, the light on slopes and all shadows, drawn small and spread over the picture."""
        pose, tones, density = view.eye.pose, self._ground.tones, self._ground.tones_per_m
        light = tones.look_up(
            (east + np.float32(pose.x)) * np.float32(density),
            (north + np.float32(pose.y)) * np.float32(density),
        )
        slopes = look_up_grid(self._shading, east + np.float32(pose.x), north + np.float32(pose.y))
        shaded = np.clip(light * slopes[..., None], 0, 255).astype(np.uint8)
        draw_shadows(shaded, view.eye, shadows, 1.0 / LIGHT_SCALE, dark)
        spread = cv2.resize(shaded, None, fx=LIGHT_SCALE, fy=LIGHT_SCALE)
        height, width = view.distance.shape
        missing = ((0, max(height - spread.shape[0], 0)), (0, max(width - spread.shape[1], 0)))
        return np.pad(spread, (*missing, (0, 0)), mode='edge')[:height, :width]

    def _draw_sky(self, picture: Pixels, view: HillyView) -> None:
        sky = view.distance >= FARTHEST_M
        rows = np.flatnonzero(sky.any(axis=1))
        if len(rows):
            end = int(rows[-1]) + 1
            columns, lines = view.rays.sky(end)
            drawn = self._panorama.look_up(columns, lines)
            cv2.copyTo(drawn, sky[:end].astype(np.uint8), picture[:end])


def _bands(view: HillyView) -> Iterator[tuple[int, int, int]]:
    """Rows that share a texture level, so that a pixel of typical ground covers one texel."""
    distance = view.distance[:, ::COLUMN_SAMPLE]
    near = np.where(distance < FARTHEST_M, np.log(distance), np.log(FARTHEST_M)).mean(axis=1)
    slant = np.hypot(np.exp(near), EYE_HEIGHT_M)
    focal = view.eye.lens.focal
    wanted = np.sqrt(slant / focal * slant**2 / (EYE_HEIGHT_M * focal)) * TEXELS_PER_M * SHARPNESS
    levels = np.clip(np.rint(np.log2(wanted)), 0, LEVELS - 1).astype(int)
    edges = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
    for start, end in pairwise(edges):
        yield int(levels[start]), start, end
