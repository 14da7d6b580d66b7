"""Puts adapter status, battery, safety events and the pose by TF into the inbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
import time

from bt_executive_interfaces.msg import AdapterStatus, KeepOutZones, MemoryDigest
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import BatteryState
from std_msgs.msg import String

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    BatteryReceived,
    PoseReceived,
    SafetyEvent,
    StatusReceived,
    ZonesReceived,
)
from bt_executive.core.reduce_robot_inputs import STANDING_UNKNOWN
from bt_executive.ros.memory_messages import memory_from_ros
from rover_common.adapter_status import AdapterStatus as AdapterValues
from rover_common.battery_percentage import charge_pct
from rover_common.config.settings import Topics
from rover_common.config.settings.gates import PoseFields
from rover_common.geometry.transforms import Transform
from rover_common.message_stamps import LatestStamp, is_newer
from rover_common.one_sender import OneSender
from rover_common.printable import one_line
from rover_common.ros.adapter_status_messages import status_from_ros
from rover_common.ros.keep_out_messages import zones_from_ros
from rover_common.ros.message_age import message_age_s
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.odometry import OdometryError, follow_odometry, pose_from_odometry
from rover_common.ros.qos import LATCHED, REPEATED
from rover_common.ros.tf_listener import TfListener
from rover_common.ros.topic_names import display_name, relative_name

# At least between two poses, in ROS or in steady time: one in each tick. Either clock may stand.
POSE_PERIOD_S = 0.09
# Between two readings of the pose of a robot that stands and has no goal; steady.
REST_UPDATE_S = 0.24
# Two adapters whose statuses alternate within this time, in s, are both alive.
ADAPTERS_APART_S = 1.5
SEVERAL_ADAPTERS = f'{STANDING_UNKNOWN}: several adapters report their status; let only one run'
LONGEST_REASON = 500  # characters of a safety event that are kept


class Telemetry:
    """Subscriptions whose callbacks put inputs; `stop_now` is called where one requires a stop.

    The pose is put by `update`, since it waits for the next tick anyway.

    `low_pct`: the charge below which the robot has to rest, as it is configured now. `odometry`:
    topics with the pose of a robot without a transform to its base.
    """

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        topics: Topics,
        stop_now: Callable[[], None],
        low_pct: Callable[[], float],
        odometry: Sequence[str | PoseFields] = (),
    ) -> None:
        self._node = node
        self._inbox = inbox
        self._topics = topics
        self._stop_now = stop_now
        self._low_pct = low_pct
        self._is_low = False
        self._tf = TfListener(node)
        self._pose_stamp: float | None = None
        self._pose_entered_at = (-math.inf, -math.inf)  # ROS s, steady s
        self._updated_at = -math.inf  # steady s
        self._by_odometry: Transform | None = None
        for each in dict.fromkeys(odometry):
            follow_odometry(node, each, topics.tf, self._on_odometry)
        self._battery_stamps = LatestStamp()
        self._adapters = OneSender(ADAPTERS_APART_S)
        node.create_subscription(
            AdapterStatus, relative_name(topics.adapter.status.name), self._on_status, REPEATED
        )
        node.create_subscription(
            String, relative_name(topics.safety.events), self._on_safety_event, 10
        )
        node.create_subscription(
            KeepOutZones, relative_name(topics.safety.keep_out), self._on_zones, LATCHED
        )
        node.create_subscription(
            MemoryDigest, relative_name(topics.memory.digest), self._on_memory, LATCHED
        )
        node.create_subscription(
            BatteryState,
            relative_name(topics.rover.battery_state),
            self._on_battery,
            qos_profile_sensor_data,
        )

    def _on_status(self, message: AdapterStatus) -> None:
        try:
            status = status_from_ros(message)
        except ValueError as error:
            self._node.get_logger().warning(
                one_line(f'Adapter status cannot be used: {error}'), throttle_duration_sec=10.0
            )
            return
        now = time.monotonic()
        if status.sender and not self._adapters.receive(status.sender, now):
            self._node.get_logger().warning(SEVERAL_ADAPTERS, throttle_duration_sec=10.0)
            status = AdapterValues('', standing_unknown=SEVERAL_ADAPTERS)
        self._inbox.put(StatusReceived(now, status))

    def _on_safety_event(self, message: String) -> None:
        self._stop_now()
        reason = one_line(message.data[:LONGEST_REASON]) or 'no reason given'
        self._inbox.put(SafetyEvent(reason, display_name(self._topics.safety.events)))

    def _on_zones(self, message: KeepOutZones) -> None:
        try:
            self._inbox.put(ZonesReceived(zones_from_ros(message)))
        except ValueError as error:
            self._node.get_logger().warning(one_line(str(error)))

    def _on_memory(self, message: MemoryDigest) -> None:
        self._inbox.put(memory_from_ros(message))

    def _on_battery(self, message: BatteryState) -> None:
        try:
            charge = charge_pct(message.percentage)
        except ValueError as error:
            self._node.get_logger().error(f'Not taken: {error}', throttle_duration_sec=10.0)
            return
        is_new = self._battery_stamps.advance(seconds_from_ros(message.header.stamp))
        if charge is not None and is_new:
            was_low, self._is_low = self._is_low, charge < self._low_pct()
            if self._is_low and not was_low:
                self._stop_now()
            self._inbox.put(BatteryReceived(time.monotonic(), charge))

    def _on_odometry(self, message: Odometry) -> None:
        frames = self._topics.tf
        try:
            self._by_odometry = pose_from_odometry(message, frames.world_frame, frames.base_frame)
        except OdometryError as error:
            self._node.get_logger().warning(one_line(str(error)), throttle_duration_sec=10.0)

    def update(self, is_resting: bool) -> None:
        """Puts the pose, if there is a new one; called before each tick, in its thread.

        `is_resting`: the robot stands, and there is nothing to do.
        """
        steady = time.monotonic()
        if is_resting and steady < self._updated_at + REST_UPDATE_S:
            return
        self._updated_at = steady
        now = float(self._node.get_clock().now().nanoseconds) * 1e-9, steady
        passed = [after - before for after, before in zip(now, self._pose_entered_at, strict=True)]
        if all(0.0 <= each < POSE_PERIOD_S for each in passed):
            return
        frames = self._topics.tf
        pose = self._tf.find(frames.world_frame, frames.base_frame) or self._by_odometry
        if pose is None:
            return  # guards that need a pose check the age of the last one
        if is_newer(pose.stamp, self._pose_stamp):
            self._pose_stamp, self._pose_entered_at = pose.stamp, now
            seen = pose.x, pose.y, pose.yaw, pose.tilt, pose.stamp, pose.z, pose.qw
            at = now[1] - message_age_s(self._node, pose.stamp)
            self._inbox.put(PoseReceived(at, *seen))
