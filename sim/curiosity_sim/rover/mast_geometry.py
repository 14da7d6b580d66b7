"""The geometry of the mast: where camera and rangefinder are, by its joints.

Plan positions and the pan offset are those of the demo's sensor_mast.xacro: the mast stands at
the front right corner, turned by 30 degrees, so that a pan of -0.5 rad (mast open) looks ahead.
The fold is simpler than the demo's: the head comes down across the deck and looks at the ground.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

from curiosity_sim.rover.attitude import UPRIGHT, Attitude, rotation
from curiosity_sim.rover.mast import CAMERAS, PAN, TILT, Mast
from rover_common.geometry.planar_motion import Pose2D

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
    roll: float = 0.0  # about the gaze, clockwise as the camera sees it

    @property
    def level(self) -> bool:
        """Whether the horizon lies level in the picture."""
        return self.roll == 0.0


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


def camera_pose(base: Pose2D, mast: Mast, attitude: Attitude = UPRIGHT) -> CameraPose:
    """The camera's pose."""
    head = head_pose(mast)
    turn = rotation(base.yaw, attitude.pitch, attitude.roll)
    x, y, z = (turn @ (head.x, head.y, head.z)).tolist()
    place = {'x': base.x + x, 'y': base.y + y, 'z': attitude.z + z}
    if attitude.roll == attitude.pitch == 0.0:
        return CameraPose(**place, yaw=base.yaw + head.yaw, down=head.down)
    gaze = turn @ rotation(head.yaw, head.down, 0.0)
    ahead, left, up = gaze.T
    return CameraPose(
        **place,
        yaw=math.atan2(ahead[1], ahead[0]),
        down=-math.asin(float(ahead[2])),
        roll=math.atan2(float(left[2]), float(up[2])),
    )


def lidar_pose(base: Pose2D, mast: Mast, attitude: Attitude = UPRIGHT) -> CameraPose:
    """Where the rangefinder is: on the mast's head, level, and turned as its frame in /tf."""
    head = head_pose(mast)
    turn = rotation(base.yaw, attitude.pitch, attitude.roll)
    x, y, z = (turn @ (head.x, head.y, head.z)).tolist()
    east, north, _ = turn @ (math.cos(head.yaw), math.sin(head.yaw), 0.0)
    yaw = math.atan2(north, east)
    return CameraPose(base.x + x, base.y + y, attitude.z + z, yaw, down=0.0)
