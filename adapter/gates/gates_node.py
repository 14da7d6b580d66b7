"""The node `gates`: what `gates` of robot.yaml names moves only while the executive permits it.

Subscribes to executive/heartbeat (bt_executive_interfaces/msg/Heartbeat), for each velocity gate
to its `in` and `odom`, for each action gate to the action's status. Publishes adapter/status
(bt_executive_interfaces/msg/AdapterStatus), /diagnostics (diagnostic_msgs/msg/DiagnosticArray) and
for each velocity gate its `out`. Service: adapter/stop (std_srvs/srv/Trigger). The end of a motion
commands a standstill, repeatedly until odometry shows it, and cancels the goal of the executive by
which it was driven.
"""

from __future__ import annotations

import time
from typing import Any, TypeAlias
import uuid

from bt_executive_interfaces.msg import AdapterStatus as StatusMessage
from bt_executive_interfaces.msg import Heartbeat
from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor
from rclpy.node import Node
from std_srvs.srv import Trigger

from gates.gates_health import parts_of
from gates.gates_status import AllGates
from gates.ros.action_gate_on_ros import ActionPort
from gates.ros.gate_on_ros import check_gates
from gates.ros.velocity_gate_on_ros import VelocityPort
from rover_common.config.endpoints import gates_of_driving_actions
from rover_common.config.settings import ActionGateSettings, Config
from rover_common.config.settings.gates import WATCH_S
from rover_common.errors import ConfigError
from rover_common.ros.diagnostics_publisher import report_diagnostics
from rover_common.ros.heartbeat_setpoint_and_status import (
    HEARTBEAT,
    heartbeat_from_ros,
    status_to_ros,
)
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.qos import LATCHED, REPEATED
from rover_common.ros.run_node import NodeOptions, run_node

STATUS_S = 0.1  # steady
STOP_ASKED = 'a stop was asked for'
Port: TypeAlias = ActionPort | VelocityPort


class GatesNode(Node):
    """All gates of one robot.

    Args:
        options: Of the process.
        context: Of rclpy; the default one if None.

    Raises:
        ConfigError: The robot has no gates, or the field that shows a motion cannot be read.
    """

    def __init__(self, options: NodeOptions, context: Any = None) -> None:
        super().__init__('gates', context=context, **options.node_arguments())
        config = options.config
        if not config.robot.gates:
            raise ConfigError(
                f'{config.robot.name} has no gates: write `gates` into its robot.yaml '
                '(docs/gates.md).'
            )
        check_gates(config)
        self._driving = gates_of_driving_actions(config)
        self.ports = tuple(self._port(config, name) for name in config.robot.gates)
        self._all = AllGates(self.ports, uuid.uuid4().hex)
        self._status = self.create_publisher(
            StatusMessage, relative_name(config.topics.adapter.status.name), LATCHED
        )
        self.create_subscription(Heartbeat, HEARTBEAT, self._on_heartbeat, REPEATED)
        self.create_service(Trigger, 'adapter/stop', self._stop)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(WATCH_S, self._watch, clock=steady)
        self.create_timer(STATUS_S, self._report, clock=steady)
        report_diagnostics(self, parts_of(self.ports, time.monotonic))

    def shut_down(self, _: Executor) -> None:
        """Ends all motions."""
        for port in self.ports:
            port.end()

    def _port(self, config: Config, name: str) -> Port:
        settings = config.robot.gates[name]
        if isinstance(settings, ActionGateSettings):
            return ActionPort(self, name, settings, config.robot.moving_field(name))
        return VelocityPort(self, config, name, settings, self._is_driven_by_action)

    def _is_driven_by_action(self, now: float) -> bool:
        """Return whether an action may drive the base now, under the permit of its own gate."""
        return any(port.gate.held_goal(now) for port in self.ports if port.name in self._driving)

    def _on_heartbeat(self, message: Heartbeat) -> None:
        heartbeat, system_time, now = heartbeat_from_ros(message), time.time(), time.monotonic()
        for port in self.ports:
            reason = port.receive(heartbeat, system_time, now)
            if reason:
                self.get_logger().warning(reason.sentence, throttle_duration_sec=10.0)
        self._report_change()

    def _stop(self, _: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        now = time.monotonic()
        for port in self.ports:
            port.stop(STOP_ASKED, now)
        self._report_change()
        answer.success = True
        return answer

    def _watch(self) -> None:
        now = time.monotonic()
        for port in self.ports:
            port.watch(now)
        self._report_change()

    def _report_change(self) -> None:
        while self._all.has_new_ending:
            self._report()

    def _report(self) -> None:
        self._status.publish(status_to_ros(self._all.status(time.monotonic())))


def main() -> None:
    """Runs the node."""
    run_node(GatesNode)


if __name__ == '__main__':
    main()
