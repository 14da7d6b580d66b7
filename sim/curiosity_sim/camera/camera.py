"""The camera: a picture of the world from a pose, and of the rover's own body, in milliseconds."""

from __future__ import annotations

import itertools

import cv2
import numpy as np

from curiosity_sim.array_types import Doubles, Pixels
from curiosity_sim.camera.haze import Haze
from curiosity_sim.camera.landscape import Landscape
from curiosity_sim.camera.painter import draw_body, draw_solids, may_be_seen
from curiosity_sim.camera.projection import Eye, Lens
from curiosity_sim.camera.rock_field import RockField, shadow_outline
from curiosity_sim.camera.solids import Faces, box_faces, joined
from curiosity_sim.rover.attitude import UPRIGHT, Attitude, rotation
from curiosity_sim.rover.mast_geometry import CameraPose
from curiosity_sim.rover.world import World
from rover_common.config.settings import CameraSettings
from rover_common.geometry.planar_motion import Pose2D

DECK_LOW = (-1.10, -0.62, 0.55)
DECK_HIGH = (0.82, 0.62, 0.92)
# In the base frame, m; drawn in this order, so each box must not hide an earlier one's front.
BOXES = (
    (DECK_LOW, DECK_HIGH, (196, 204, 210)),
    ((-1.10, 0.145, 0.92), (0.82, 0.155, 0.921), (138, 144, 150)),
    ((-0.305, -0.62, 0.92), (-0.295, 0.62, 0.921), (138, 144, 150)),
    ((0.135, -0.62, 0.92), (0.145, 0.62, 0.921), (138, 144, 150)),
    ((0.135, -0.365, 0.92), (0.82, -0.355, 0.921), (138, 144, 150)),
    ((-0.95, -0.50, 0.92), (-0.35, 0.10, 0.94), (150, 158, 164)),
    ((-0.20, -0.05, 0.92), (0.12, 0.27, 0.95), (172, 178, 182)),
    ((0.05, 0.18, 0.92), (0.46, 0.52, 0.945), (120, 132, 146)),
    ((0.30, -0.56, 0.92), (0.62, -0.40, 0.93), (138, 148, 158)),
    ((0.52, -0.28, 0.92), (0.72, -0.08, 0.97), (158, 170, 178)),
    ((0.57, -0.23, 0.97), (0.67, -0.13, 0.975), (44, 46, 50)),
    ((0.16, -0.30, 0.92), (0.40, -0.27, 0.94), (104, 112, 120)),
    ((0.16, -0.24, 0.92), (0.40, -0.21, 0.94), (104, 112, 120)),
    ((0.17, 0.24, 0.945), (0.28, 0.35, 0.95), (70, 76, 84)),
    ((0.34, 0.22, 0.945), (0.37, 0.48, 0.95), (206, 210, 214)),
    ((-0.72, 0.24, 0.92), (-0.48, 0.48, 1.22), (176, 184, 190)),
    ((-1.62, -0.22, 0.62), (-1.10, 0.22, 1.08), (64, 66, 70)),
    ((-1.66, -0.26, 0.74), (-1.14, -0.22, 1.02), (92, 94, 98)),
    ((-1.66, 0.22, 0.74), (-1.14, 0.26, 1.02), (92, 94, 98)),
)


def body_faces() -> Faces:
    """The boxes in the base frame, in the order in which they are drawn."""
    return joined([box_faces(low, high, colour) for low, high, colour in BOXES])


def outline(faces: Faces) -> Doubles:
    """The corners (8, 3) of the box around faces."""
    corners = faces.corners.reshape(-1, 3)
    ends = zip(corners.min(axis=0), corners.max(axis=0), strict=True)
    return np.array(list(itertools.product(*ends)))


def placed(faces: Faces, base: Pose2D, attitude: Attitude) -> Faces:
    """Faces of the base frame in the odom frame."""
    normals: Doubles = faces.normals @ _turn(base, attitude).T
    return Faces(to_odom(faces.corners, base, attitude), normals, faces.colours)


def to_odom(points: Doubles, base: Pose2D, attitude: Attitude) -> Doubles:
    """Points of the base frame in the odom frame."""
    moved: Doubles = points @ _turn(base, attitude).T + (base.x, base.y, attitude.z)
    return moved


def _turn(base: Pose2D, attitude: Attitude) -> Doubles:
    return rotation(base.yaw, attitude.pitch, attitude.roll)


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
