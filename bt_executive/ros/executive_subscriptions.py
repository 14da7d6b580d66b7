"""What the executive subscribes to, and the inputs that it puts into the inbox.

Adapter status, battery, safety events, keep-out zones, odometry, pose by TF, digest of the memory,
and diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
import time
from typing import Any

from bt_executive_interfaces.msg import AdapterStatus, KeepOutZones, MemoryDigest, NearbyPlace
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import BatteryState
from std_msgs.msg import String

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    BatteryReceived,
    MemoryReceived,
    PoseReceived,
    SafetyEvent,
    StatusReceived,
    ZonesReceived,
)
from bt_executive.core.reduce_robot_inputs import STANDING_UNKNOWN
from bt_executive.core.state import BrainState, Mode
from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.ros.cancel_goal_service import CancelGoals
from bt_executive.ros.configured_state_subscriptions import TopicState
from bt_executive.ros.execute_goal_action import GoalServer
from bt_executive.ros.executive_services import ApprovalService, OperatorServices, Replies
from bt_executive.ros.goal_validation_ends_and_keepalives import GoalKeepalives
from bt_executive.ros.immediate_stop import ImmediateStop
from bt_executive.ros.readiness_from_diagnostics import ReadinessWatch
from bt_executive.tree.context import Context
from rover_common.adapter_status import AdapterStatus as AdapterValues
from rover_common.config.settings import Topics, VelocityGateSettings
from rover_common.config.settings.gates import PoseFields
from rover_common.conflicting_publishers import OneSender
from rover_common.geometry.transforms import Transform
from rover_common.message_order import LatestStamp, is_newer
from rover_common.ros.battery_publishers import BatteryPublishers
from rover_common.ros.heartbeat_setpoint_and_status import status_from_ros
from rover_common.ros.keep_out_messages import zones_from_ros
from rover_common.ros.message_conversions import message_age_s, seconds_from_ros
from rover_common.ros.node_topic_and_enclave_names import display_name, relative_name
from rover_common.ros.odometry_and_velocities import (
    OdometryError,
    follow_odometry,
    pose_from_odometry,
)
from rover_common.ros.polled_and_on_demand_subscriptions import (
    subscribe_to_all,
)
from rover_common.ros.qos import LATCHED, REPEATED
from rover_common.ros.tf_listener import TfListener
from rover_common.ros.timers import STEADY
from rover_common.state_values import charge_pct
from rover_common.text_sanitizing import one_line

LONGEST_SUMMARY, LONGEST_TEXT, MOST_PLACES = 5000, 120, 100  # of the memory; characters, places
# At least between two poses, in ROS or in steady time: one in each tick. Either clock may stand.
POSE_PERIOD_S = 0.09
# Between two readings of the pose of a robot that stands and has no goal; steady.
REST_UPDATE_S = 0.24
# Two adapters whose statuses alternate within this time, in s, are both alive.
ADAPTERS_APART_S = 1.5
SEVERAL_ADAPTERS = f'{STANDING_UNKNOWN}: several adapters report their status; let only one run'
LONGEST_REASON = 500  # characters of a safety event that are kept
EVENTS = 10  # safety events that wait for this process
RARE_PERIOD_S = 0.5  # steady; one timer for all that is updated rarely


def memory_from_ros(message: MemoryDigest) -> MemoryReceived:
    """Return the input. Places whose numbers are none are left out."""
    places = (_place(each) for each in message.places[:MOST_PLACES])
    summary = one_line(message.summary[:LONGEST_SUMMARY])
    return MemoryReceived(summary, tuple(each for each in places if each is not None))


def _place(place: NearbyPlace) -> dict[str, Any] | None:
    numbers = {'x': place.x, 'y': place.y, 'radius_m': place.radius_m}
    if not all(map(math.isfinite, numbers.values())):
        return None
    texts = {'id': place.id, 'name': place.name, 'kind': place.kind, 'state': place.state}
    return {key: one_line(text[:LONGEST_TEXT]) for key, text in texts.items()} | numbers


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
        battery = relative_name(topics.rover.battery_state)
        self._battery, self._battery_stamps = BatteryPublishers(node, battery), LatestStamp()
        self._adapters = OneSender(ADAPTERS_APART_S)
        node.create_subscription(
            AdapterStatus, relative_name(topics.adapter.status.name), self._on_status, REPEATED
        )
        events = relative_name(topics.safety.events)
        subscribe_to_all(node, String, events, self._on_safety_event, EVENTS)
        node.create_subscription(
            KeepOutZones, relative_name(topics.safety.keep_out), self._on_zones, LATCHED
        )
        node.create_subscription(
            MemoryDigest, relative_name(topics.memory.digest), self._on_memory, LATCHED
        )
        node.create_subscription(BatteryState, battery, self._on_battery, qos_profile_sensor_data)

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
        try:  # before the stamps are compared: that of one battery says nothing of another one
            charge = charge_pct(self._battery.percentage(message))
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


def is_at_rest(state: BrainState) -> bool:
    """Return whether no goal is queued, and the robot stands or never had a pose."""
    if state.tasks.mode is not Mode.IDLE or state.tasks.queue:
        return False
    return state.robot.stands is True or state.robot.pose_at is None


class ExecutiveInputs:
    """Creates subscriptions and services, which last as long as the node.

    `low_pct` returns the charge in percent below which the robot rests. `halt` commands a base
    that has a gate to stand, bypassing the gate.
    """

    def __init__(
        self,
        node: Node,
        context: Context,
        goals: GoalServer,
        replies: Replies,
        low_pct: Callable[[], float],
        show_tree: Callable[[], str],
        halt: Callable[[], None],
    ) -> None:
        self._context, self._goals, inbox = context, goals, context.inbox
        stops = filter(None, reversed(stop_endpoints(context.config)))
        stop_now = ImmediateStop(node, inbox, stops, time.monotonic, halt)
        needs = [part for tool in context.registry.values() for part in tool.skill.ready_when]
        gates = context.config.robot.gates.values()
        odometry = [each.odom for each in gates if isinstance(each, VelocityGateSettings)]
        self._telemetry = Telemetry(
            node, inbox, context.config.topics, stop_now, low_pct, odometry
        )
        readiness = ReadinessWatch(node, inbox, needs)
        self._rare_updates = (readiness.update, GoalKeepalives(node, inbox, self._leases).update)
        self._kept_alive = (
            TopicState(node, inbox, context.config.robot, stop_now),
            CancelGoals(node, inbox, self._open_goals),
            OperatorServices(node, replies, stop_now, show_tree),
            ApprovalService(node, replies),
        )
        node.create_timer(RARE_PERIOD_S, self._update_rarely, clock=STEADY)

    def update(self) -> None:
        """Puts what is read once a tick into the inbox; in the tick thread."""
        self._telemetry.update(is_at_rest(self._context.state))

    def _update_rarely(self) -> None:
        for update in self._rare_updates:
            update()

    def _open_goals(self) -> set[str]:
        queue = self._context.state.tasks.queue
        return {*(task.task_id for task in queue), *self._goals.accepted()}

    def _leases(self) -> dict[str, float]:
        return {task.task_id: task.lease_s for task in self._context.state.tasks.queue}
