"""The node `nav2_adapter`: Nav2's velocities reach the base while the executive permits it.

Listens to executive/heartbeat, cmd_vel_nav (geometry_msgs/msg/Twist: remap Nav2's output to it)
and odom (nav_msgs/msg/Odometry). Publishes cmd_vel and adapter/status
(bt_executive_interfaces/msg/AdapterStatus). Service: adapter/stop (std_srvs/srv/Trigger). Whatever
ends a motion commands a standstill, again and again until odometry shows it, and cancels every
goal of navigate_to_pose.
"""

from __future__ import annotations

import math
import time
from typing import Any
import uuid

from action_msgs.srv import CancelGoal
from bt_executive_interfaces.msg import AdapterStatus as StatusMessage
from bt_executive_interfaces.msg import Heartbeat
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from std_srvs.srv import Trigger

from gates.brake import Brake
from gates.velocity_gate import VelocityGate
from rover_common.adapter_status import AdapterStatus, Ending
from rover_common.permit import EndingCode
from rover_common.ros.adapter_status import status_to_ros
from rover_common.ros.bounded_calls import BoundedCalls
from rover_common.ros.conversions import seconds_from_ros
from rover_common.ros.heartbeat import HEARTBEAT, beat_from_ros
from rover_common.ros.latched import LATCHED, REPEATED
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.stamps import LatestStamp

MOTION = 'navigate_to_pose'  # of adapter in topics.yaml
LIMIT_S, NAV_SILENCE_S = 0.3, 0.5
UNKNOWN = 'It is not known whether the base stands: no new odometry has come for 1 s'
WATCH_S, STATUS_S = 0.05, 0.1  # steady


class Nav2Adapter(Node):
    """The gate between Nav2 and the base."""

    def __init__(self, _: NodeOptions | None = None, context: Any = None) -> None:
        super().__init__('nav2_adapter', context=context)
        self.gate = VelocityGate(MOTION.__eq__, LIMIT_S, NAV_SILENCE_S, driver='Nav2')
        self._life = uuid.uuid4().hex
        self._brake, self._odometry = Brake(), LatestStamp()
        self._ended = self.gate.ending
        self._base = self.create_publisher(Twist, 'cmd_vel', 10)
        self._status = self.create_publisher(StatusMessage, 'adapter/status', LATCHED)
        self._cancel = self.create_client(CancelGoal, f'{MOTION}/_action/cancel_goal')
        self._cancels = BoundedCalls(self._cancel)
        self.create_subscription(Heartbeat, HEARTBEAT, self._on_heartbeat, REPEATED)
        self.create_subscription(Twist, 'cmd_vel_nav', self._commanded, 10)
        self.create_subscription(Odometry, 'odom', self._moved, qos_profile_sensor_data)
        self.create_service(Trigger, 'adapter/stop', self._stop)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(WATCH_S, self._on_timer, clock=steady)
        self.create_timer(STATUS_S, self._publish_status, clock=steady)

    def shut_down(self, _: Executor) -> None:
        """The node ends: the base must not go on."""
        self._halt()

    def _on_heartbeat(self, message: Heartbeat) -> None:
        reason = self.gate.receive(beat_from_ros(message), time.time(), time.monotonic())
        if reason:
            self.get_logger().warning(reason.sentence, throttle_duration_sec=10.0)
        self._act()

    def _commanded(self, message: Twist) -> None:
        if not all(map(math.isfinite, _numbers(message))):
            return
        if not any(_numbers(message)):
            self._arrive()
        elif self.gate.command(time.monotonic()):
            self._brake.release()
            self._base.publish(message)

    def _arrive(self) -> None:
        if self.gate.is_open:
            self._brake.release()
        self.gate.arrive(time.monotonic())
        self._base.publish(Twist())

    def _moved(self, message: Odometry) -> None:
        if self._odometry.advance(seconds_from_ros(message.header.stamp)):
            self._brake.update_speeds(_numbers(message.twist.twist), time.monotonic())

    def _stop(self, _: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        self.gate.stop('a stop was asked for')
        self._halt()
        self._act()
        answer.success = True
        return answer

    def _on_timer(self) -> None:
        now = time.monotonic()
        self.gate.update(now)
        self._act()
        if self._brake.applied:
            self._base.publish(Twist())
            self._brake.update(now)

    def _act(self) -> None:
        """Stops the base if a motion has just ended, and tells it."""
        if self.gate.ending is not self._ended:
            self._ended = ending = self.gate.ending
            # Of a motion that has come to its end, the next goal may be under way already.
            arrived = ending is not None and ending.stood and ending.code is EndingCode.WITHDRAWN
            self._halt(cancels=not arrived)
            self._publish_status()

    def _halt(self, cancels: bool = True) -> None:
        self._brake.apply()
        self._base.publish(Twist())
        if cancels and self._cancel.service_is_ready():  # all goals: an empty id at time zero
            self._cancels.call(CancelGoal.Request())

    def _moving(self) -> bool | None:
        moves = self._brake.moves(time.monotonic())
        return moves if moves is None else moves or self.gate.is_open

    def _publish_status(self) -> None:
        gate, moving = self.gate, self._moving()
        ended = gate.ending
        status = AdapterStatus(
            sender=self._life,
            moving=moving,
            at_rest=None if moving is None else not moving,
            standing_unknown=UNKNOWN if moving is None else '',
            heartbeat=gate.beat.number,
            permit=gate.beat.permit,
            ending=Ending(ended.permit, ended.code.value, ended.reason) if ended else None,
        )
        self._status.publish(status_to_ros(status))


def _numbers(twist: Twist) -> tuple[float, ...]:
    line, turn = twist.linear, twist.angular
    return line.x, line.y, line.z, turn.x, turn.y, turn.z


def main() -> None:
    """Runs the node."""
    run_node(Nav2Adapter)


if __name__ == '__main__':
    main()
