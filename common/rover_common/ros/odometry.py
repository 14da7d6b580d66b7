"""Odometry as poses that are of use: of the robot's own base, stamped, and all numbers."""

from __future__ import annotations

import math

from nav_msgs.msg import Odometry

from rover_common.errors import BtExecutiveError
from rover_common.geometry.transforms import Transform, TransformError, bare, check_transform
from rover_common.ros.conversions import seconds_from_ros
from rover_common.stamps import UNSTAMPED


class OdometryError(BtExecutiveError):
    """A message says nothing of where the base is. The text names the cause."""


def place_from_ros(message: Odometry, base_frame: str) -> Transform:
    """The place of the base on the ground, in the frame of odometry; its heading is left out.

    Raises:
        OdometryError: The message is of another frame, has no stamp, or is not finite.
    """
    frame, place = bare(message.child_frame_id), message.pose.pose.position
    stamp = seconds_from_ros(message.header.stamp)
    if frame and frame != bare(base_frame):
        raise OdometryError(
            f'Odometry was ignored: it is of frame {frame!r}, not of {base_frame!r} '
            '(tf.base_frame in topics.yaml).'
        )
    if stamp == UNSTAMPED:
        raise OdometryError('Odometry was ignored: it has no stamp.')
    if not (math.isfinite(place.x) and math.isfinite(place.y)):
        raise OdometryError(f'Odometry was ignored: x {place.x}, y {place.y} is no place.')
    return Transform.planar(place.x, place.y, 0.0, stamp)


def pose_from_odometry(message: Odometry, world_frame: str, base_frame: str) -> Transform:
    """The pose of the base in the frame of the world, which must be that of the odometry.

    Raises:
        OdometryError: The message is of other frames, has no stamp, or is no pose.
    """
    at = place_from_ros(message, base_frame)
    if bare(message.header.frame_id) != bare(world_frame):
        raise OdometryError(
            f'Odometry is in frame {message.header.frame_id!r:.80}, not in {world_frame!r}.'
        )
    place, turned = message.pose.pose.position, message.pose.pose.orientation
    pose = Transform(place.x, place.y, place.z, turned.x, turned.y, turned.z, turned.w, at.stamp)
    try:
        check_transform(world_frame, base_frame, pose)
    except TransformError as error:
        raise OdometryError(str(error)) from None
    return pose
