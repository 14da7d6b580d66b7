"""Odometry as poses that are of use, and velocities on the wire, with a stamp or without."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import math
import time
from typing import Any, NamedTuple

from geometry_msgs.msg import Pose, Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from rover_common.config.settings.gates import PoseFields, VelocityTopics
from rover_common.config.settings.state_and_guards import TopicField
from rover_common.config.settings.topics import TfFrames
from rover_common.errors import BtExecutiveError
from rover_common.geometry.transforms import (
    Transform,
    TransformError,
    check_transform,
    normalized_frame,
)
from rover_common.message_order import UNSTAMPED
from rover_common.robot_time import is_leap, passed_between
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.timers import STEADY
from rover_common.ros.topic_of_one_publisher import SEARCH_PERIOD_S, FollowedTopic
from rover_common.state_values import field_at, value_of
from rover_common.text_sanitizing import one_line

WINDOW_S = 0.3  # between the two poses from which the speed is computed


class OdometryError(BtExecutiveError):
    """A message does not show where the base is. The text names the cause."""


def place_from_ros(message: Odometry, base_frame: str) -> Transform:
    """The place of the base on the ground, in the frame of odometry; its heading is left out.

    Raises:
        OdometryError: The message is of another frame, has no stamp, or is not finite.
    """
    frame, place = normalized_frame(message.child_frame_id), message.pose.pose.position
    stamp = seconds_from_ros(message.header.stamp)
    if frame and frame != normalized_frame(base_frame):
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
    if normalized_frame(message.header.frame_id) != normalized_frame(world_frame):
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


def follow_odometry(
    node: Node, odom: str | PoseFields, frames: TfFrames, receive: Callable[[Odometry], None]
) -> None:
    """Subscribes to odometry; the pose in messages of another type comes as one.

    `frames`: of the world and the base, in which a pose of another type is taken to be.
    """
    if isinstance(odom, str):
        node.create_subscription(Odometry, odom, receive, qos_profile_sensor_data)
        return
    speeds, clock = PoseSpeeds(), node.get_clock()

    def receive_message(message: Any, _at: float) -> None:
        try:
            made = _as_odometry(node, message, odom, frames)
        except ValueError as error:
            node.get_logger().warning(
                one_line(f'Odometry of {odom.topic} was ignored: {error}'),
                throttle_duration_sec=10.0,
            )
            return
        place, turned = made.pose.pose.position, made.pose.pose.orientation
        yaw = Transform(qx=turned.x, qy=turned.y, qz=turned.z, qw=turned.w).yaw
        stamp, simulated = seconds_from_ros(made.header.stamp), clock.ros_time_is_active
        speed, turning = speeds.update(
            (place.x, place.y, place.z), yaw, stamp, time.monotonic(), simulated
        )
        made.twist.twist.linear.x, made.twist.twist.angular.z = speed, turning
        receive(made)

    types = {odom.type} if odom.type else set[str]()
    source = FollowedTopic(node, odom.topic, types, receive_message)
    source.search()
    node.create_timer(SEARCH_PERIOD_S, source.search, clock=STEADY)


class PoseSpeeds:
    """How fast poses go, by the way between two of them that are some time apart."""

    def __init__(self) -> None:
        self._track: deque[_Seen] = deque()

    def update(
        self,
        place: tuple[float, float, float],
        yaw: float,
        stamp: float,
        at: float,
        simulated: bool = False,
    ) -> tuple[float, float]:
        """Handle a pose; return its speeds in m/s and rad/s, NaN until they are known.

        `at`: when it was received, in steady s. `simulated`: its stamp is of simulated time.
        """
        seen = _Seen(place, yaw, stamp, at)
        if self._track:
            step_s, waited_s = stamp - self._track[-1].stamp, at - self._track[-1].at
            if step_s < 0.0 or is_leap(step_s, waited_s):  # a clock was set
                self._track.clear()
            elif step_s == 0.0:  # a publisher may send the same one for days
                self._track.pop()
        self._track.append(seen)
        while len(self._track) > 1 and _passed(self._track[1], seen, simulated) >= WINDOW_S:
            self._track.popleft()
        before = self._track[0]
        seconds = _passed(before, seen, simulated)
        if seconds < WINDOW_S:
            return math.nan, math.nan
        turned = math.remainder(yaw - before.yaw, math.tau)
        return math.dist(place, before.place) / seconds, turned / seconds


class _Seen(NamedTuple):
    place: tuple[float, float, float]
    yaw: float
    stamp: float
    at: float


def _passed(first: _Seen, last: _Seen, simulated: bool) -> float:
    return passed_between(last.stamp - first.stamp, last.at - first.at, simulated)


def _as_odometry(node: Node, message: Any, fields: PoseFields, frames: TfFrames) -> Odometry:
    """The pose in a message of another type; without a stamp it is of now.

    Raises:
        ValueError: It has no such field, or that is no number or no pose.
    """
    made = Odometry(child_frame_id=frames.base_frame)
    made.header.frame_id = frames.world_frame
    stamp = getattr(getattr(message, 'header', None), 'stamp', None)
    is_stamped = hasattr(stamp, 'nanosec') and seconds_from_ros(stamp) != UNSTAMPED
    made.header.stamp = stamp if is_stamped else node.get_clock().now().to_msg()
    if fields.pose is not None:
        pose = field_at(message, fields.pose)
        if not isinstance(pose, Pose):
            raise ValueError(f'{fields.pose} is no geometry_msgs/msg/Pose')
        made.pose.pose = pose
        return made
    place, turned = made.pose.pose.position, made.pose.pose.orientation
    place.x, place.y, yaw = (
        _number(message, fields.topic, each) for each in (fields.x, fields.y, fields.yaw)
    )
    turned.z, turned.w = math.sin(yaw / 2.0), math.cos(yaw / 2.0)
    return made


def _number(message: Any, topic: str, path: str | None) -> float:
    value = value_of(message, TopicField(topic=topic, field=path or ''))
    if isinstance(value, (bool, str)):
        raise ValueError(f'{path} is {value!r:.60}, which is no number')
    return float(value)


QUEUE = 10


def velocity_type(topics: VelocityTopics) -> Any:
    """Return the type of the messages on both topics."""
    return TwistStamped if topics.stamped else Twist


def velocity_from_ros(message: Any) -> Twist:
    """Return the velocity of a message of either type."""
    return message.twist if isinstance(message, TwistStamped) else message


def numbers_of(twist: Twist) -> tuple[float, ...]:
    """Return the six numbers of a velocity, m/s and rad/s."""
    line, turn = twist.linear, twist.angular
    return line.x, line.y, line.z, turn.x, turn.y, turn.z


class VelocityOut:
    """Publishes velocities behind a base's gate. Any thread may call it.

    `frame`: in which they are, where they have a stamp.
    """

    def __init__(self, node: Node, topics: VelocityTopics, frame: str) -> None:
        self._clock, self._frame, self._stamped = node.get_clock(), frame, topics.stamped
        self._publisher = node.create_publisher(velocity_type(topics), topics.passed, QUEUE)

    def publish(self, twist: Twist) -> None:
        """Commands a velocity."""
        if not self._stamped:
            self._publisher.publish(twist)
            return
        message = TwistStamped(twist=twist)
        message.header.stamp = self._clock.now().to_msg()
        message.header.frame_id = self._frame
        self._publisher.publish(message)

    def halt(self) -> None:
        """Commands a standstill."""
        self.publish(Twist())
