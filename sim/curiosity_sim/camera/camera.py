"""The camera: a picture of the world from a pose, in a few milliseconds.

The ground is one plane, so each pixel's point on it depends on height and angle below the
horizon alone (`Gaze`); driving and panning only shift and turn those points. Textures are then
looked up by OpenCV's remap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
import math

import cv2
import numpy as np
from numpy.typing import NDArray

from bt_executive.settings import Camera as CameraSettings
from curiosity_sim.camera.body import DECK_HIGH, DECK_LOW, body_faces, to_odom, turn
from curiosity_sim.camera.ground import LEVELS, NEUTRAL_TONE, TEXELS_PER_M, make_ground
from curiosity_sim.camera.painter import (
    draw_polygons,
    draw_shadow,
    draw_triangles,
    haze_at,
)
from curiosity_sim.camera.panorama import HAZE, PIXELS_PER_RAD, make_panorama
from curiosity_sim.camera.solids import Faces, box_faces, rock_faces
from curiosity_sim.camera.view import Eye, Gaze, Lens, make_gaze
from curiosity_sim.rover.kinematics import PlanarPose
from curiosity_sim.rover.mast_geometry import CameraPose
from curiosity_sim.rover.world import World

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Pixels = NDArray[np.uint8]

LIGHT_SCALE = 4  # the light map has one pixel for so many of the picture, each way
SHADOW = 62  # light of a shadow, against NEUTRAL_TONE of full light
SHARPNESS = 0.7  # texels per pixel at which a coarser texture is taken
VISIBLE_HAZE = 0.02


class Camera:
    """Draws pictures of one world. The same world and pose give the same picture."""

    def __init__(self, settings: CameraSettings, world: World) -> None:
        self.lens = Lens(settings.width, settings.height, settings.horizontal_fov_rad)
        self._ground = make_ground(world.seed, world.sun)
        self._panorama = make_panorama(world.seed, world.sun)
        self._sun = np.array(world.sun.direction)
        rocks = [rock_faces(rock, world.sun) for rock in world.rocks]
        self._rocks = _joined(rocks)
        self._rock_shadows = [_shadow(faces.corners, self._sun) for faces in rocks]
        self._body = body_faces()
        self._deck = box_faces(DECK_LOW, DECK_HIGH, (0, 0, 0)).corners
        self._prepared: _Prepared | None = None

    def picture(self, pose: CameraPose, base: PlanarPose) -> Pixels:
        """What is seen from `pose` by the rover that stands at `base`: blue, green, red."""
        prepared = self._prepare(pose)
        eye = Eye(self.lens, pose)
        picture = np.empty((self.lens.height, self.lens.width, 3), np.uint8)
        self._draw_sky(picture, pose, prepared.gaze)
        if prepared.gaze.horizon < self.lens.height:
            self._draw_ground(picture, pose, prepared)
            self._draw_light(picture, eye, base, prepared)
            _draw_haze(picture, prepared)
        if len(self._rocks.corners):
            draw_triangles(picture, eye, self._rocks)
        self._draw_body(picture, eye, base)
        return picture

    def _prepare(self, pose: CameraPose) -> _Prepared:
        key = (round(pose.z, 4), round(pose.down, 4))
        if self._prepared is None or self._prepared.key != key:
            self._prepared = _Prepared.of(key, make_gaze(self.lens, pose.z, pose.down), self.lens)
        return self._prepared

    def _draw_sky(self, picture: Pixels, pose: CameraPose, gaze: Gaze) -> None:
        if not gaze.sky_end:
            return
        columns = gaze.sky_column - np.float32(pose.yaw * PIXELS_PER_RAD)
        picture[: gaze.sky_end] = cv2.remap(
            self._panorama, columns, gaze.sky_row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP
        )

    def _draw_ground(self, picture: Pixels, pose: CameraPose, prepared: _Prepared) -> None:
        gaze = prepared.gaze
        for level, start, end in prepared.bands:
            columns, rows = _looked_up(
                gaze.ahead[start:end],
                gaze.left[start:end],
                pose,
                self._ground.pixels_per_m / 2**level,
                self._ground.tiles[level].shape[0],
            )
            picture[gaze.horizon + start : gaze.horizon + end] = cv2.remap(
                self._ground.tiles[level],
                columns,
                rows,
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_WRAP,
            )

    def _draw_light(
        self, picture: Pixels, eye: Eye, base: PlanarPose, prepared: _Prepared
    ) -> None:
        """Slow changes of tone and all shadows, drawn small and then spread over the ground."""
        tones = self._ground.tones
        columns, rows = _looked_up(
            prepared.coarse_ahead,
            prepared.coarse_left,
            eye.pose,
            self._ground.tones_per_m,
            tones.shape[0],
        )
        light = np.full((*prepared.coarse_shape, 3), NEUTRAL_TONE, np.uint8)
        top = prepared.coarse_shape[0] - len(columns)
        light[top:] = cv2.remap(tones, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
        for outline in self._shadows(base):
            draw_shadow(light, eye, outline, 1.0 / LIGHT_SCALE, SHADOW)
        ground = picture[prepared.gaze.horizon :]
        spread = cv2.resize(light, (picture.shape[1], picture.shape[0]))
        cv2.multiply(ground, spread[prepared.gaze.horizon :], ground, 1.0 / NEUTRAL_TONE)

    def _shadows(self, base: PlanarPose) -> Iterator[Doubles]:
        yield from self._rock_shadows
        yield _shadow(to_odom(self._deck, base), self._sun)

    def _draw_body(self, picture: Pixels, eye: Eye, base: PlanarPose) -> None:
        for faces in self._body:
            placed = Faces(
                to_odom(faces.corners, base), turn(faces.normals, base.yaw), faces.colours
            )
            draw_polygons(picture, eye, placed)


@dataclass(frozen=True)
class _Prepared:
    """What stays the same while the camera keeps its height and its angle to the horizon."""

    key: tuple[float, float]
    gaze: Gaze
    bands: tuple[tuple[int, int, int], ...]  # texture level, first and last ground row
    coarse_shape: tuple[int, int]
    coarse_ahead: Floats
    coarse_left: Floats
    haze: Floats

    @classmethod
    def of(cls, key: tuple[float, float], gaze: Gaze, lens: Lens) -> _Prepared:
        first = -gaze.horizon % LIGHT_SCALE
        middle = slice(first, None, LIGHT_SCALE)
        across = slice(LIGHT_SCALE // 2, None, LIGHT_SCALE)
        return cls(
            key=key,
            gaze=gaze,
            bands=tuple(_bands(gaze, lens)),
            coarse_shape=(
                len(range(0, lens.height, LIGHT_SCALE)),
                len(range(LIGHT_SCALE // 2, lens.width, LIGHT_SCALE)),
            ),
            coarse_ahead=np.ascontiguousarray(gaze.ahead[middle, across]),
            coarse_left=np.ascontiguousarray(gaze.left[middle, across]),
            haze=haze_at(gaze.distance).astype(np.float32),
        )


def _bands(gaze: Gaze, lens: Lens) -> Iterator[tuple[int, int, int]]:
    """Rows that share a texture level, so that a pixel covers about one texel."""
    if not len(gaze.slant):
        return
    across = gaze.slant / lens.focal
    along = gaze.slant**2 / (gaze.slant.min() * lens.focal)
    covered = np.sqrt(across * along)
    levels = np.clip(np.rint(np.log2(covered * TEXELS_PER_M * SHARPNESS)), 0, LEVELS - 1).astype(
        int
    )
    edges = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
    for start, end in pairwise(edges):
        yield int(levels[start]), start, end


def _looked_up(
    ahead: Floats, left: Floats, pose: CameraPose, pixels_per_m: float, size: int
) -> tuple[Floats, Floats]:
    """Texture columns and rows of ground points given relative to the camera."""
    cos, sin = math.cos(pose.yaw) * pixels_per_m, math.sin(pose.yaw) * pixels_per_m
    # Within one tile of zero, where 32 bits are fine enough.
    x, y = pose.x * pixels_per_m % size, pose.y * pixels_per_m % size
    columns = cv2.addWeighted(ahead, cos, left, -sin, x)
    rows = cv2.addWeighted(ahead, sin, left, cos, y)
    return columns, rows


def _draw_haze(picture: Pixels, prepared: _Prepared) -> None:
    """Lets the far ground fade into the haze, row by row."""
    start = prepared.gaze.horizon
    end = start + int(np.count_nonzero(prepared.haze > VISIBLE_HAZE))
    part = prepared.haze[: end - start, None, None]
    far = picture[start:end]
    far[:] = far + part * (HAZE - far)


def _shadow(corners: Doubles, sun: Doubles) -> Doubles:
    """The outline on the ground of the shadow of a solid."""
    points = corners.reshape(-1, 3)
    ground = points[:, :2] - points[:, 2:] * (sun[:2] / sun[2])
    hull = cv2.convexHull(ground.astype(np.float32))[:, 0]
    return np.column_stack([hull, np.zeros(len(hull))]).astype(np.float64)


def _joined(parts: list[Faces]) -> Faces:
    if not parts:
        return Faces(np.empty((0, 3, 3)), np.empty((0, 3)), np.empty((0, 3)))
    return Faces(
        np.concatenate([part.corners for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.colours for part in parts]),
    )
