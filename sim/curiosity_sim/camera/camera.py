"""The camera: a picture of the world from a pose, in a few milliseconds.

Where the ground is one plane, each pixel's point on it depends on height and angle below the
horizon alone (`Gaze`); driving and panning only shift and turn those points. Where it is not
(`Hills`), every ray is followed.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from bt_executive.settings import Camera as CameraSettings
from curiosity_sim.camera.body import DECK_HIGH, DECK_LOW, body_faces, placed, to_odom
from curiosity_sim.camera.gaze import Floats, Gaze, make_gaze
from curiosity_sim.camera.ground import NEUTRAL_TONE, make_ground
from curiosity_sim.camera.ground_rows import LIGHT_SCALE, GroundRows, make_ground_rows
from curiosity_sim.camera.haze import Haze
from curiosity_sim.camera.hills import Hills
from curiosity_sim.camera.painter import draw_body, draw_shadows, draw_solids
from curiosity_sim.camera.panorama import PIXELS_PER_RAD, make_panorama
from curiosity_sim.camera.rock_field import RockField, shadow_outline
from curiosity_sim.camera.solids import box_faces
from curiosity_sim.camera.tiling import CHANNELS, Tiling
from curiosity_sim.camera.view import Eye, Lens
from curiosity_sim.rover.kinematics import PlanarPose
from curiosity_sim.rover.mast_geometry import CameraPose
from curiosity_sim.rover.stance import UPRIGHT, Stance
from curiosity_sim.rover.world import World

Pixels = NDArray[np.uint8]

SHADOW = 62  # light in a shadow, against NEUTRAL_TONE in full light


class Camera:
    """Draws pictures of one world. The same world and pose give the same picture."""

    def __init__(self, settings: CameraSettings, world: World) -> None:
        self.lens = Lens(settings.width, settings.height, settings.horizontal_fov_rad)
        self._sun = world.sun
        self._terrain = world.terrain
        self._air = Haze(world.look)
        self._ground = make_ground(world.seed, world.sun, world.look)
        self._panorama = make_panorama(world.seed, world.sun, world.look)
        self._rocks = RockField(world)
        self._body = body_faces()
        self._deck = box_faces(DECK_LOW, DECK_HIGH, (0, 0, 0)).corners
        self._gaze: Gaze | None = None
        self._rows: GroundRows | None = None
        self._hills = (
            None if world.terrain.level else Hills(world, self._ground, self._panorama, self._air)
        )

    def picture(self, pose: CameraPose, base: PlanarPose, stance: Stance = UPRIGHT) -> Pixels:
        """What is seen from `pose` by the rover that stands at `base`: blue, green, red."""
        eye = Eye(self.lens, pose)
        deck = to_odom(self._deck, base, stance)
        deck_shadow = shadow_outline(deck, self._sun, self._terrain, stance.z)[None]
        if self._hills:
            view = self._hills.look(eye)
            rocks, shadows = self._rocks.visible(eye, view.skyline)
            shadows = np.concatenate([shadows, deck_shadow])
            picture = self._hills.draw(view, shadows, SHADOW, NEUTRAL_TONE)
        else:
            rocks, shadows = self._rocks.visible(eye)
            picture = self._draw_plain(eye, np.concatenate([shadows, deck_shadow]))
        draw_solids(picture, eye, rocks, self._air)
        draw_body(picture, eye, placed(self._body, base, stance))
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGRA2BGR), np.uint8)

    def _draw_plain(self, eye: Eye, shadows: NDArray[np.float64]) -> Pixels:
        """Sky and level ground."""
        pose = eye.pose
        gaze, rows = self._prepare(pose)
        picture = np.empty((self.lens.height, self.lens.width, CHANNELS), np.uint8)
        if gaze.sky_end:
            columns = gaze.sky_column - np.float32(pose.yaw * PIXELS_PER_RAD)
            picture[: gaze.sky_end] = self._panorama.look_up(columns, gaze.sky_row)
        if gaze.horizon < self.lens.height:
            ground = picture[gaze.horizon :]
            self._draw_ground(ground, pose, gaze, rows)
            light = self._light(eye, rows, shadows)
            cv2.multiply(ground, light[gaze.horizon :], ground, 1.0 / rows.full_light)
            cv2.add(ground, rows.haze, ground)
        return picture

    def _prepare(self, pose: CameraPose) -> tuple[Gaze, GroundRows]:
        """Rays for this height and angle; kept from picture to picture."""
        height, down = round(pose.z, 4), round(pose.down, 4)
        if self._gaze is None or self._rows is None or self._gaze.key != (height, down):
            self._gaze = make_gaze(self.lens, height, down)
            self._rows = make_ground_rows(self._gaze, self.lens, self._air)
        return self._gaze, self._rows

    def _draw_ground(self, ground: Pixels, pose: CameraPose, gaze: Gaze, rows: GroundRows) -> None:
        for level, start, end in rows.bands:
            tile = self._ground.tiles[level]
            density = self._ground.pixels_per_m / 2**level
            ground[start:end] = _look_up(
                tile, density, pose, gaze.ahead[start:end], gaze.left[start:end]
            )

    def _light(self, eye: Eye, rows: GroundRows, shadows: NDArray[np.float64]) -> Pixels:
        """Slow changes of tone and all shadows, drawn small and then spread over the picture."""
        light = np.zeros(rows.clearness.shape, np.uint8)
        tones = _look_up(
            self._ground.tones, self._ground.tones_per_m, eye.pose, rows.ahead, rows.left
        )
        light[len(light) - len(tones) :] = tones
        draw_shadows(light, eye, shadows, 1.0 / LIGHT_SCALE, SHADOW)
        cv2.multiply(light, rows.clearness, light, 1.0 / 255.0)
        spread = cv2.resize(light, None, fx=LIGHT_SCALE, fy=LIGHT_SCALE)
        return np.asarray(spread[: self.lens.height, : self.lens.width], np.uint8)


def _look_up(
    tile: Tiling, pixels_per_m: float, pose: CameraPose, ahead: Floats, left: Floats
) -> Pixels:
    """Colours of ground points given in m relative to the camera's foot and heading."""
    cos, sin = math.cos(pose.yaw) * pixels_per_m, math.sin(pose.yaw) * pixels_per_m
    # Within one tile of zero, where 32 bits are fine enough.
    height, width = tile.shape
    columns = cv2.addWeighted(ahead, cos, left, -sin, pose.x * pixels_per_m % width)
    rows = cv2.addWeighted(ahead, sin, left, cos, pose.y * pixels_per_m % height)
    return tile.look_up(np.asarray(columns, np.float32), np.asarray(rows, np.float32))
