"""Ground and sky of one picture, over level and uneven ground alike."""

from __future__ import annotations

from dataclasses import dataclass
import math

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Doubles, Pixels
from curiosity_sim.camera.ground_texture import (
    CHANNELS,
    NEUTRAL_TONE,
    Ground,
    halvings_for,
    make_ground,
)
from curiosity_sim.camera.haze import Haze
from curiosity_sim.camera.painter import draw_shadows
from curiosity_sim.camera.projection import CELL, Eye, Grid, Lens, Rays, spread
from curiosity_sim.camera.ray_lengths_to_hilly_ground import FARTHEST_M, Plain, Relief, Skyline
from curiosity_sim.camera.sky_sun_and_far_hills import Panorama, make_panorama
from curiosity_sim.rover.terrain import CELL_M, CELLS, HALF_M, sample_grid
from curiosity_sim.rover.world import World
from curiosity_sim.tiling_noise import Floats, fractal_noise
from rover_common.config.settings.world import Feature

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
            return sample_grid(self._grid, x, y)
        return _tones(self._ground, x, y)


def _tones(ground: Ground, x: Floats, y: Floats) -> Pixels:
    period = np.float32(ground.tones_m)
    return ground.tones.sample(x / period, y / period)


def _grid(world: World, ground: Ground) -> Pixels:
    axis = (np.arange(CELLS) * CELL_M - HALF_M).astype(np.float32)
    x, y = np.meshgrid(axis, axis)
    factor = _tones(ground, x, y)[..., :3] * np.float32(1.0 / NEUTRAL_TONE)
    uneven = fractal_noise(np.random.default_rng((world.seed, 5)), CELLS, 1.6, 0.04)
    for place in world.soft:
        factor += _sand(place, x, y, uneven)[..., None] * (SAND - factor)
    if not world.terrain.level:
        factor *= world.terrain.sunlight(world.sun.direction)[..., None]
    paint = np.clip(factor * NEUTRAL_TONE, 0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(paint, cv2.COLOR_BGR2BGRA), np.uint8)


def _sand(place: Feature, x: Floats, y: Floats, uneven: Floats) -> Floats:
    """How much of the ground is soft sand, with an uneven edge, and the ripples that betray it."""
    away = np.hypot(x - place.x, y - place.y) + 0.12 * place.size_m * uneven
    cover = np.clip((place.size_m - away) / (0.2 * place.size_m) + 0.5, 0.0, 1.0)
    ripples = np.sin(math.tau / RIPPLE_M * (0.6 * x + 0.8 * y) + 1.5 * uneven)
    return np.asarray(cover * (0.72 + 0.28 * ripples), np.float32)


SHARPNESS = 0.7  # texels per pixel at which a coarser texture is taken


@dataclass(frozen=True)
class LandscapeView:
    """What the rays of one picture meet, cell by cell.

    Rows of cells from `first` on may show ground: `ground`, `distance`, `east` and `north` have
    these rows only. Those before `end` may show sky.
    """

    eye: Eye
    rays: Rays
    relief: Relief
    above: Floats  # pixels above the crest of the ground, about; negative is ground
    first: int
    end: int
    ground: Rays
    distance: Floats  # m along the ground
    east: Floats  # of the point on the ground, m from the camera's foot
    north: Floats


@dataclass(frozen=True)
class Surface:
    """How the ground looks, cell by cell."""

    columns: Floats  # places in the texture, in its edges
    rows: Floats
    levels: NDArray[np.intp]  # of the texture
    light: Pixels  # factor on the texture; NEUTRAL_TONE is one
    haze: Pixels  # what is added


class Landscape:
    """Draws the ground and the sky of one world."""

    def __init__(self, world: World, lens: Lens) -> None:
        self._lens = lens
        self._grid = Grid(lens)
        self._terrain = world.terrain
        self._ground = make_ground(world.seed, world.sun, world.look, halvings_for(lens.focal))
        self._paint = Paint(world, self._ground)
        self._panorama = Panorama(make_panorama(world.seed, world.sun, world.look), lens.focal)
        self._air = Haze(world.look)

    def render(self, eye: Eye) -> LandscapeView:
        """Follows the rays of a camera."""
        rays = self._grid.rays(eye)
        level = self._terrain.level
        relief = Plain(eye.pose.z) if level else Skyline.of(self._terrain, eye)
        above = (rays.sine - relief.crest(rays)) * np.float32(self._lens.focal)
        first, end = _edges(above)
        ground = rays.below(first)
        distance = np.float32(1.0) / relief.nearness(ground)
        reach = distance / ground.level
        places = ground.east * reach, ground.north * reach
        return LandscapeView(eye, rays, relief, above, first, end, ground, distance, *places)

    def draw(self, view: LandscapeView, shadows: Doubles) -> Pixels:
        """Sky and ground with these shadows (n, corners, 3), four channels."""
        rows = self._grid.rows
        # With the columns that are neighbours only, see `spread`.
        picture = np.empty((rows * CELL, (self._grid.columns + 2) * CELL, CHANNELS), np.uint8)
        first, end = view.first, view.end
        if first < rows:
            self._draw_ground(picture[first * CELL :], self._surface(view, shadows))
        if end:
            sky = self._panorama.sample(view.eye.pose.yaw, view.rays, end)
            picture[: first * CELL] = sky[: first * CELL]
            edge = np.s_[first * CELL : end * CELL]
            if first < end:
                _blend(picture[edge], sky[edge], spread(view.above[first : end + 2]))
        return picture[: self._lens.height, CELL : CELL + self._lens.width]

    def _surface(self, view: LandscapeView, shadows: Doubles) -> Surface:
        """What the ground of each cell looks like."""
        pose, period = view.eye.pose, self._ground.tile_m
        clear = cv2.exp(view.distance * np.float32(-1.0 / self._air.length))
        clearness = cv2.merge([cv2.convertScaleAbs(clear, alpha=255.0)] * CHANNELS)
        light = self._light(view, shadows)
        cv2.multiply(light, clearness, light, 1.0 / 255.0)
        return Surface(
            # Within one tile of zero, where 32 bits are fine enough.
            columns=(view.east + np.float32(pose.x % period)) / np.float32(period),
            rows=(view.north + np.float32(pose.y % period)) / np.float32(period),
            levels=_levels(view, self._ground),
            light=light,
            haze=self._air.before(clearness),
        )

    def _draw_ground(self, ground: Pixels, surface: Surface) -> None:
        texture = self._ground.texture.sample(surface.columns, surface.rows, surface.levels[1:-1])
        cv2.multiply(texture, spread(surface.light), ground, 1.0 / NEUTRAL_TONE)
        cv2.add(ground, spread(surface.haze), ground)

    def _light(self, view: LandscapeView, shadows: Doubles) -> Pixels:
        """Tones, paint and shadows of each cell; NEUTRAL_TONE is full light on plain ground."""
        pose = view.eye.pose
        x, y = view.east + np.float32(pose.x), view.north + np.float32(pose.y)
        light = self._paint.at(x, y)
        draw_shadows(light, view.eye, shadows, view.first)
        return light


def _edges(above: Floats) -> tuple[int, int]:
    """The first row of cells that may show ground, and the end of those that may show sky."""
    rows = above.shape[0] - 2
    ground = np.flatnonzero(above.min(axis=1) < 1.0)
    sky = np.flatnonzero(above.max(axis=1) > -1.0)
    # A row of the table lies one row further down than in the picture, and reaches half a cell
    # beyond its own pixels.
    first = min(max(int(ground[0]) - 2, 0), rows) if len(ground) else rows
    end = min(int(sky[-1]) + 1, rows) if len(sky) else 0
    return first, max(end, first)


def _levels(view: LandscapeView, ground: Ground) -> NDArray[np.intp]:
    """The level of the ground's texture at which a pixel of each cell covers about a texel."""
    distance = np.where(
        view.above[view.first :] > 0.0, np.float32(2.0 * FARTHEST_M), view.distance
    )
    gaps = np.abs(np.diff(distance, axis=0)) / np.float32(CELL)
    # At a crest, the ground before it counts and not what lies behind.
    along = np.minimum(np.vstack([gaps, gaps[-1:]]), np.vstack([gaps[:1], gaps]))
    across = view.distance * view.ground.length / (view.ground.level * view.eye.lens.focal)
    per_m = np.float32(ground.texels_per_m * SHARPNESS)
    texels = cv2.sqrt(across * np.maximum(along, across)) * per_m
    wanted = np.rint(np.log2(np.maximum(texels, np.float32(1.0))))
    levels: NDArray[np.intp] = np.minimum(wanted, ground.texture.levels - 1).astype(np.intp)
    return levels


def _blend(picture: Pixels, sky: Pixels, above: Floats) -> None:
    """Puts the sky over the picture where it stands above the ground's crest."""
    part = cv2.min(cv2.max(above + np.float32(0.5), 0.0), 1.0)
    cover = cv2.merge([cv2.convertScaleAbs(part, alpha=255.0)] * CHANNELS)
    cv2.multiply(picture, cv2.bitwise_not(cover), picture, 1.0 / 255.0)
    cv2.add(picture, cv2.multiply(sky, cover, scale=1.0 / 255.0), picture)
