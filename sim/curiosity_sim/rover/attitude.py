"""How the rover stands on the ground: height, roll and pitch from the ground under its wheels."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import TYPE_CHECKING

import numpy as np

from curiosity_sim.array_types import Doubles
from curiosity_sim.rover.kinematics import CHASSIS_LENGTH_M, CHASSIS_WIDTH_M
from rover_common.geometry.planar_motion import Pose2D

if TYPE_CHECKING:  # it draws with OpenCV, which the process of the controllers does without
    from curiosity_sim.rover.terrain import Terrain


@dataclass(frozen=True)
class Attitude:
    """Height of the base in m; roll about its x axis, then pitch, nose down positive, in rad."""

    z: float = 0.0
    roll: float = 0.0
    pitch: float = 0.0


UPRIGHT = Attitude()


def settle(terrain: Terrain, pose: Pose2D) -> Attitude:
    """The stance at a pose: the plane through the ground under the four corner wheels."""
    if terrain.level:
        return UPRIGHT
    fl, fr, rl, rr = (terrain.height(x, y) for x, y in wheel_places(pose))
    return Attitude(
        z=(fl + fr + rl + rr) / 4.0,
        roll=math.atan2((fl + rl - fr - rr) / 2.0, CHASSIS_WIDTH_M),
        pitch=math.atan2((rl + rr - fl - fr) / 2.0, CHASSIS_LENGTH_M),
    )


def wheel_places(pose: Pose2D) -> list[tuple[float, float]]:
    """The places of the corner wheels: front left, front right, rear left, rear right."""
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    half_length, half_width = CHASSIS_LENGTH_M / 2.0, CHASSIS_WIDTH_M / 2.0
    corners = [(half_length, half_width), (half_length, -half_width)]
    corners += [(-half_length, half_width), (-half_length, -half_width)]
    return [(pose.x + cos * a - sin * b, pose.y + sin * a + cos * b) for a, b in corners]


def rotation(yaw: float, pitch: float, roll: float) -> Doubles:
    """The matrix that turns vectors of the body into those of the odom frame."""
    cy, sy, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
    cr, sr = math.cos(roll), math.sin(roll)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
