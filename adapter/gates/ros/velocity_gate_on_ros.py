"""A velocity gate on ROS: the driver publishes on `in`, the base receives on `out`."""

from __future__ import annotations

from collections.abc import Callable
import math
import time
from typing import Any

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node

from gates.goals_to_cancel import OwnGoals
from gates.motion_and_standstill_by_odometry import KINDS, Brake
from gates.motion_and_standstill_by_odometry import Odometry as Pose
from gates.motion_under_permit import OwnMotions
from gates.ros.gate_on_ros import GatePort, GoalsAtServer
from gates.ros.motion_server import MotionServer
from gates.velocity_gate import VelocityGate
from rover_common.config.endpoints import actions_at
from rover_common.config.settings import Config, VelocityGateSettings
from rover_common.geometry.transforms import Transform
from rover_common.message_order import LatestStamp, Uncounted
from rover_common.permit import EndingCode, Heartbeat
from rover_common.reason import Reason
from rover_common.ros.message_conversions import message_age_s, seconds_from_ros
from rover_common.ros.odometry_and_velocities import (
    QUEUE,
    VelocityOut,
    follow_odometry,
    numbers_of,
    velocity_from_ros,
    velocity_type,
)
from rover_common.ros.publishers_and_types_of_topic import several_publishers


def _is_of_others(motion: str) -> bool:
    """Return whether velocities of another process pass under a permit for this motion."""
    return bool(motion) and motion not in KINDS


class VelocityPort(GatePort[VelocityGate]):
    """Passes velocities on, brakes, and reads from odometry whether the base stands.

    The goals of actions that drive by this gate are cancelled when their motion ends.

    `is_driven_beside` returns whether the base may move past this gate at a steady time, in s.
    """

    def __init__(
        self,
        node: Node,
        config: Config,
        name: str,
        settings: VelocityGateSettings,
        is_driven_beside: Callable[[float], bool],
    ) -> None:
        super().__init__(
            name, VelocityGate(_is_of_others, settings.deadman_s, settings.silence_s, gate=name)
        )
        self._node, self._odom, max_age_s = node, settings.odom_topic, settings.odom_max_age_s
        self._brake, self._stamps = Brake(max_age_s, settings.still_below), LatestStamp()
        self._motions = OwnMotions(self.gate, self._brake, settings.speeds, max_age_s)
        actions = actions_at(config, name)
        kinds = [each for each in KINDS if each in actions]
        self._server = MotionServer(node, name, kinds, self._motions)
        self._ended = self.gate.ending
        self._is_driven_beside = is_driven_beside
        self._out = VelocityOut(node, settings.velocity, config.topics.tf.base_frame)
        self._goals = {
            motion: GoalsAtServer(node, action.ros_name, OwnGoals())
            for motion, action in actions.items()
            if motion not in KINDS
        }
        node.create_subscription(
            velocity_type(settings.velocity),
            settings.velocity.wanted,
            self._on_velocity,
            QUEUE,
        )
        follow_odometry(node, settings.odom, config.topics.tf, self._on_odometry)

    def receive(
        self, heartbeat: Heartbeat, system_time: float, now: float
    ) -> Reason[Uncounted] | None:
        """Takes a heartbeat; returns why it does not count. See `VelocityGate.receive`."""
        reason = self.gate.receive(heartbeat, system_time, now)
        permit = self.gate.heartbeat.permit_at(self.name)
        if permit.goal and permit.motion in self._goals:
            self._goals[permit.motion].goals.add(permit.goal, now)
        self.act(now)
        return reason

    def stop(self, reason: str, now: float) -> None:
        """Stops on request."""
        self.gate.stop(reason)
        self._halt()
        self.act(now)

    def watch(self, now: float) -> None:
        """Ends motions of silent processes, and brakes; a timer calls it often."""
        self._brake.invalidate(several_publishers(self._node, self._odom))
        self.gate.update(now)
        self.act(now)  # a motion that was cancelled meanwhile
        self._drive(now)
        self.act(now)
        if self._brake.applied:
            self._out.halt()
        self._brake.update(now, self._is_driven_beside(now))

    def _drive(self, now: float) -> None:
        """Continues a motion of the gate's own."""
        velocity = self._server.step(now)
        if velocity is not None:
            self._out.publish(velocity)

    def act(self, now: float) -> None:
        """Stops the base if a motion has just ended, and cancels the goals that drive it."""
        if self.gate.ending is not self._ended:
            self._ended = self.gate.ending
            if not (self._stood_to_the_end and self._brake.holds):
                self._halt()
        held = self.gate.held_goal(now)
        for each in self._goals.values():
            each.cancel_all_but(held, now)

    def moving(self, now: float) -> bool | None:
        """Return whether the base moves or a motion is under way; None if that is not known."""
        under_way = self.gate.is_open and self._brake.is_shown(now)
        return True if under_way else self._brake.moves(now)

    def why_unknown(self, now: float) -> str:
        """Return why it is not known whether the base moves, as the end of a sentence."""
        return self._brake.why_unknown(now)

    def end(self) -> None:
        """Stops the base, since the process ends."""
        self._halt()

    @property
    def _stood_to_the_end(self) -> bool:
        """Whether the latest motion had come to its standstill when its permit was withdrawn."""
        ending = self._ended
        return ending is not None and ending.stood and ending.code is EndingCode.WITHDRAWN

    def _halt(self) -> None:
        self._brake.apply(time.monotonic())
        self._out.halt()

    def _on_velocity(self, message: Any) -> None:
        velocity = velocity_from_ros(message)
        numbers = numbers_of(velocity)
        if not all(map(math.isfinite, numbers)):
            return
        if any(numbers):
            self._pass_on(velocity)
        else:
            self._pass_standstill()

    def _pass_on(self, velocity: Twist) -> None:
        now = time.monotonic()
        if self.gate.command(now):
            self._brake.release(now)
            self._out.publish(velocity)

    def _pass_standstill(self) -> None:
        """Passes on a standstill of the driver, which is always allowed."""
        now = time.monotonic()
        if self.gate.is_open:
            self._brake.release(now)
        self.gate.command_standstill(now)
        self._out.halt()

    def _on_odometry(self, message: Odometry) -> None:
        self._brake.invalidate(several_publishers(self._node, self._odom))
        now, pose = time.monotonic(), _pose_of(message)
        stamp = seconds_from_ros(message.header.stamp)
        if not self._stamps.advance(stamp):
            return
        age_s = message_age_s(self._node, stamp)
        if self._brake.update_odometry(numbers_of(message.twist.twist), pose, now, age_s):
            self._motions.update_pose(pose, now - age_s)
            self._drive(now)


def _pose_of(message: Odometry) -> Pose:
    position, turned = message.pose.pose.position, message.pose.pose.orientation
    rotation = Transform(qx=turned.x, qy=turned.y, qz=turned.z, qw=turned.w)
    return Pose(position.x, position.y, rotation.yaw)
