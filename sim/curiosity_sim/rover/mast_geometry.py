"""Where camera and lidar are, from the rover's pose and the mast's joints.

Plan positions and the pan offset are those of the demo's sensor_mast.xacro: the mast stands at
the front right corner, turned by 30 degrees, so that a pan of -0.5 rad (mast open) looks ahead.
The fold is simpler than the demo's: the head comes down across the deck and looks at the ground.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

from curiosity_sim.rover.kinematics import PlanarPose
from curiosity_sim.rover.mast import CAMERAS, PAN, TILT, Mast

MAST_X_M = 0.7225
MAST_Y_M = -0.5546
PAN_OFFSET_RAD = math.pi / 6.0
HEAD_HEIGHT_M = 2.1  # Curiosity's mast cameras above the ground
FOOT_HEIGHT_M = 1.3  # the joint about which the mast folds
FOLD_BEARING_RAD = 2.0 * math.pi / 3.0  # across the deck, to the left and back
GAZE_DOWN_RAD = 0.12  # an open mast looks a little below the horizon
GAZE_PER_FOLD = 0.6  # and a closed one at deck and ground beside it


@dataclass(frozen=True)
class CameraPose:
    """The camera in the odom frame: m and rad; `down` is the gaze below the horizon."""

    x: float
    y: float
    z: float
    yaw: float
    down: float


@dataclass(frozen=True)
class HeadPose:
    """The mast's head in the base frame, m and rad."""

    x: float
    y: float
    z: float
    yaw: float
    down: float


def head_pose(mast: Mast) -> HeadPose:
    """Where the joints put the head, relative to the rover's base on the ground."""
    joints = mast.positions
    fold = joints[TILT]
    length = HEAD_HEIGHT_M - FOOT_HEIGHT_M
    reach = length * math.sin(fold)
    return HeadPose(
        x=MAST_X_M + reach * math.cos(FOLD_BEARING_RAD),
        y=MAST_Y_M + reach * math.sin(FOLD_BEARING_RAD),
        z=FOOT_HEIGHT_M + length * math.cos(fold),
        yaw=PAN_OFFSET_RAD + joints[PAN],
        down=min(GAZE_DOWN_RAD + GAZE_PER_FOLD * fold + joints[CAMERAS], math.pi / 2.0),
    )


def camera_pose(base: PlanarPose, mast: Mast) -> CameraPose:
    """Where the camera is and looks."""
    head = head_pose(mast)
    cos, sin = math.cos(base.yaw), math.sin(base.yaw)
    return CameraPose(
        x=base.x + cos * head.x - sin * head.y,
        y=base.y + sin * head.x + cos * head.y,
        z=head.z,
        yaw=base.yaw + head.yaw,
        down=head.down,
    )
