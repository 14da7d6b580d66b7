"""The camera: a picture of the world from a pose, in a few milliseconds."""

from __future__ import annotations

import cv2
import numpy as np

from curiosity_sim.array_types import Pixels
from curiosity_sim.camera.haze import Haze
from curiosity_sim.camera.landscape import Landscape
from curiosity_sim.camera.own_body import (
    DECK_HIGH,
    DECK_LOW,
    body_faces,
    outline,
    placed,
    to_odom,
)
from curiosity_sim.camera.painter import draw_body, draw_solids, may_be_seen
from curiosity_sim.camera.projection import Eye, Lens
from curiosity_sim.camera.rock_field import RockField, shadow_outline
from curiosity_sim.camera.solids import box_faces
from curiosity_sim.rover.attitude import UPRIGHT, Attitude
from curiosity_sim.rover.mast_geometry import CameraPose
from curiosity_sim.rover.world import World
from rover_common.config.settings import CameraSettings
from rover_common.geometry.pose2d import Pose2D


class Camera:
    """Draws pictures of one world. The same world and pose give the same picture."""

    def __init__(self, settings: CameraSettings, world: World) -> None:
        self.lens = Lens(settings.width, settings.height, settings.horizontal_fov_rad)
        self._sun = world.sun
        self._terrain = world.terrain
        self._air = Haze(world.look)
        self._landscape = Landscape(world, self.lens)
        self.replace_rocks(world)
        self._body = body_faces()
        self._outline = outline(self._body)
        self._deck = box_faces(DECK_LOW, DECK_HIGH, (0, 0, 0)).corners

    def replace_rocks(self, world: World) -> None:
        """From now on these are the rocks of the world, which is the same in all else."""
        self._rocks = RockField(world)

    def picture(self, pose: CameraPose, base: Pose2D, attitude: Attitude = UPRIGHT) -> Pixels:
        """The view from `pose`, with the rover's body at `base`: blue, green, red."""
        eye = Eye(self.lens, pose)
        view = self._landscape.render(eye)
        rocks, shadows = self._rocks.visible(eye, view.relief)
        deck = to_odom(self._deck, base, attitude)
        deck_shadow = shadow_outline(deck, self._sun, self._terrain, attitude.z)[None]
        picture = self._landscape.draw(view, np.concatenate([shadows, deck_shadow]))
        draw_solids(picture, eye, rocks, self._air)
        around = to_odom(self._outline, base, attitude)
        if may_be_seen(eye, eye.see(around)[None]).any():
            draw_body(picture, eye, placed(self._body, base, attitude))
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGRA2BGR), np.uint8)
