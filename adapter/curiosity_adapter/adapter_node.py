"""The node `curiosity_adapter`: services with reasons over Curiosity's Empty services.

Services (std_srvs/srv/Trigger, names in topics.yaml, section adapter): move_forward, turn_left,
turn_right, move_stop, mast_rotate, get_status; in Variant B also mast_open and mast_close.
manual_mode (std_srvs/srv/SetBool).
Publishes /adapter/status and /adapter/keep_out (bt_executive_interfaces/msg/AdapterStatus and
KeepOutZones), both transient local. Subscribes to executive/heartbeat and
adapter/motion_setpoint (bt_executive_interfaces/msg/Heartbeat and MotionSetpoint), joint states,
tf, odometry, battery state and keep-out zones. Calls the services of topics.yaml, section
curiosity; while a stop has no answer or no effect, also publishes a velocity of zero on cmd_vel
(geometry_msgs/msg/Twist).

No callback blocks: services are coroutines, so one thread serves everything, and the deadman is
checked while any number of calls wait.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
import time
from typing import Any, get_args

from bt_executive_interfaces.msg import AdapterStatus, Heartbeat, KeepOutZones, MotionSetpoint
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future
from sensor_msgs.msg import BatteryState, JointState
from std_srvs.srv import Empty, SetBool, Trigger

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.adapter_health import AdapterHealth
from curiosity_adapter.adapter_parts import AdapterParts
from curiosity_adapter.base_motions import MOTIONS
from curiosity_adapter.mast_state import MastCommand
from curiosity_adapter.rover_services import RoverClient
from curiosity_adapter.status_report import RoverStatus, report_of, status_to_json
from curiosity_adapter.update_and_report_rates import UpdateRates
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.settings import RoverServices
from rover_common.geometry.transforms import Transform
from rover_common.reason import Reason, sentence_of
from rover_common.ros.battery_publishers import BatteryPublishers
from rover_common.ros.config_as_ros_parameters import ConfigParameters
from rover_common.ros.diagnostics_publisher import Diagnostics
from rover_common.ros.heartbeat_setpoint_and_status import (
    HEARTBEAT,
    SETPOINT,
    heartbeat_from_ros,
    setpoint_from_ros,
    status_to_ros,
)
from rover_common.ros.keep_out_messages import zones_from_ros, zones_to_ros
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.odometry_and_velocities import OdometryError, place_from_ros
from rover_common.ros.publishers_and_types_of_topic import several_publishers
from rover_common.ros.qos import LATCHED, REPEATED
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.ros.tf_listener import TfListener
from rover_common.ros.timers import STEADY, set_period
from rover_common.text_sanitizing import one_line

PARAMETERS = (
    ('executive', 'variant'),
    *(('curiosity', section) for section in ('mast', 'motion', 'deadman', 'navigation')),
)
LAST_STOP_WAIT_S = 1.0
NAVIGATION_PERIOD_S = 0.05  # of the rover's time: half the period of its odometry


class AdapterNode(Node):
    """Connects the parts of the adapter to ROS. Both clocks in s."""

    def __init__(
        self,
        options: NodeOptions,
        steady: Callable[[], float] = time.monotonic,
        system_time: Callable[[], float] = time.time,
    ) -> None:
        super().__init__('curiosity_adapter', **options.node_arguments())
        self._config = ConfigParameters(self, options.config, PARAMETERS).config
        settings = self._config.curiosity
        self._steady, self._system_time = steady, system_time
        self._group = ReentrantCallbackGroup()
        self._waiter = ConditionWaiter(self._steady, Future)
        rover = self._make_rover()
        self._parts = AdapterParts(
            self._config,
            rover,
            self._waiter,
            self._spawn,
            Clocks(lambda: self.get_clock().now().nanoseconds * 1e-9, self._steady),
            on_change=self._react,
            on_halt=self._note_failure,
        )
        self._tf = TfListener(self)
        battery = relative_name(self._config.topics.rover.battery_state)
        self._battery = BatteryPublishers(self, battery)
        self._last_error: str | None = None
        self._last_refusal: str | None = None
        self._published: RoverStatus | None = None
        self._rates = UpdateRates(self._parts, settings, self._steady)
        self._create_subscriptions()
        self._create_services()
        self._navigation_timer = self.create_timer(
            NAVIGATION_PERIOD_S, self._react, callback_group=self._group, autostart=False
        )
        self._timer = self.create_timer(
            settings.deadman.check_period_s,
            self._on_timer,
            callback_group=self._group,
            clock=STEADY,
        )
        health = AdapterHealth(self._parts, rover, lambda: self._last_refusal, self._steady)
        self._diagnostics = Diagnostics(self, health.parts())
        if self._parts.deadman.manual:
            self._warn_of_manual_mode('by the configuration (deadman.manual_mode)')

    def shut_down(self, executor: Executor) -> None:
        """Stops a rover that moves or may move, and waits briefly for its answer."""
        self._parts.base.close('the adapter is ending')
        deadline = self._steady() + LAST_STOP_WAIT_S
        while self._parts.exclusivity.moving and self._steady() < deadline:
            self._react()
            executor.spin_once(timeout_sec=0.02)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs a coroutine beside the others; in callbacks the node has an executor."""
        if self.executor is None:
            raise RuntimeError(f'{self.get_name()} is in no executor')
        self.executor.create_task(work)

    def _make_rover(self) -> RoverClient:
        topics = self._config.topics.curiosity
        cmd_vel = self.create_publisher(
            Twist, relative_name(self._config.topics.rover.cmd_vel), 10
        )
        names = {
            key: relative_name(getattr(topics, key).name) for key in RoverServices.model_fields
        }
        clients = {
            key: self.create_client(Empty, name, callback_group=self._group)
            for key, name in names.items()
        }
        resolved = {key: self.resolve_service_name(name) for key, name in names.items()}
        return RoverClient(
            clients,
            resolved,
            Empty.Request,
            lambda: cmd_vel.publish(Twist()),
            self._waiter,
            self._config.curiosity.motion,
        )

    def _create_subscriptions(self) -> None:
        topics = self._config.topics
        for type_, name, callback, qos in (
            (Heartbeat, HEARTBEAT, self._on_heartbeat, REPEATED),
            (MotionSetpoint, SETPOINT, self._on_setpoint, REPEATED),
            (
                JointState,
                topics.rover.joint_states,
                self._on_joint_states,
                qos_profile_sensor_data,
            ),
            (
                BatteryState,
                topics.rover.battery_state,
                self._on_battery,
                qos_profile_sensor_data,
            ),
            (Odometry, topics.rover.odometry, self._on_odometry, qos_profile_sensor_data),
            (KeepOutZones, topics.safety.keep_out, self._on_keep_out, LATCHED),
        ):
            self.create_subscription(
                type_, relative_name(name), callback, qos, callback_group=self._group
            )

    def _create_services(self) -> None:
        topics, parts = self._config.topics.adapter, self._parts
        self._status = self.create_publisher(
            AdapterStatus, relative_name(topics.status.name), LATCHED
        )
        work: dict[str, Callable[[], Awaitable[Reason[Cause] | None]]] = {
            'move_stop': parts.base.stop
        }
        work |= {name: partial(parts.base.start, name) for name in MOTIONS}
        work |= {name: partial(parts.mast.run, name) for name in self._mast_commands()}
        for key, command in work.items():
            self._serve(Trigger, getattr(topics, key).name, partial(self._answer, command))
        self._serve(Trigger, topics.get_status.name, self._on_get_status)
        self._serve(SetBool, topics.manual_mode.name, self._set_manual_mode)
        self._zones = self.create_publisher(
            KeepOutZones, relative_name(topics.keep_out.name), LATCHED
        )
        self._publish_zones()

    def _mast_commands(self) -> tuple[MastCommand, ...]:
        if self._config.executive.variant == 'A':
            return ('mast_rotate',)
        return get_args(MastCommand)

    def _serve(self, type_: type, name: str, callback: Callable[..., Any]) -> None:
        self.create_service(type_, relative_name(name), callback, callback_group=self._group)

    async def _answer(
        self,
        command: Callable[[], Awaitable[Reason[Cause] | None]],
        _request: Trigger.Request,
        response: Trigger.Response,
    ) -> Trigger.Response:
        self._rates.note_request()
        if command != self._parts.base.stop:  # a stop is sent first; all else can wait
            self._react()
        set_period(self._timer, self._config.curiosity.deadman.check_period_s)
        reason = await command()
        if reason:
            self._last_refusal = reason.sentence
            self._note_failure(reason.sentence)
        else:
            self._rates.note_granted()
        self._react()
        response.success, response.message = reason is None, sentence_of(reason)
        return response

    def _on_get_status(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        self._react()
        response.success, response.message = True, self._status_json()
        return response

    def _set_manual_mode(
        self, request: SetBool.Request, response: SetBool.Response
    ) -> SetBool.Response:
        reason = self._parts.deadman.set_manual(request.data, self._steady())
        if reason:
            self._note_failure(reason.sentence)
        elif request.data:
            self._warn_of_manual_mode('by a call')
        else:
            self.get_logger().warning('MANUAL MODE is off: no motion without an executive')
        self._react()
        response.success, response.message = reason is None, sentence_of(reason)
        return response

    def _warn_of_manual_mode(self, how: str) -> None:
        self.get_logger().warning(
            f'MANUAL MODE was switched on {how}: the rover may move although no executive watches '
            'over it. Whoever drives it by hand has to watch it. It ends with the first heartbeat.'
        )

    def _on_heartbeat(self, message: Heartbeat) -> None:
        by_hand, permit = self._parts.deadman.manual, self._parts.permission.permit
        reason = self._parts.receive_heartbeat(heartbeat_from_ros(message), self._system_time())
        if reason:
            self.get_logger().warning(reason.sentence, throttle_duration_sec=10.0)
            return
        if by_hand:
            self.get_logger().warning('MANUAL MODE has ended: heartbeat of an executive received')
        if by_hand or self._parts.permission.permit != permit:
            self._react()
        elif self._rates.is_slow:  # does what the timer would do
            self._timer.reset()
            self._parts.update()
            if self._rates.update_is_due:
                self._update()

    def _on_setpoint(self, message: MotionSetpoint) -> None:
        setpoint, before = setpoint_from_ros(message), self._parts.navigation_goals.latest
        reason = self._parts.receive_setpoint(setpoint, self._system_time())
        if reason:
            self.get_logger().warning(reason.sentence, throttle_duration_sec=10.0)
        elif before is None or not setpoint.repeats(before):
            self._react()

    def _on_joint_states(self, message: JointState) -> None:
        stamp = seconds_from_ros(message.header.stamp)
        self._parts.mast.update_joints(message.name, message.position, stamp)
        self._react_unless_at_rest()

    def _on_odometry(self, message: Odometry) -> None:
        try:
            place = place_from_ros(message, self._config.topics.tf.base_frame)
        except OdometryError as error:
            self.get_logger().warning(one_line(str(error)), throttle_duration_sec=10.0)
            return
        self._check_odometry_publishers()
        self._parts.update_odometry(place)
        self._react_unless_at_rest()

    def _check_odometry_publishers(self) -> None:
        odometry = relative_name(self._config.topics.rover.odometry)
        self._parts.invalidate_odometry(several_publishers(self, odometry))

    def _on_battery(self, message: BatteryState) -> None:
        try:
            self._parts.limits.update_battery(self._battery.percentage(message))
        except ValueError as error:
            self.get_logger().error(f'Not taken: {error}', throttle_duration_sec=10.0)

    def _on_keep_out(self, message: KeepOutZones) -> None:
        try:
            self._parts.keep_out.update(zones_from_ros(message))
        except ValueError as error:
            self._note_failure(str(error))
        else:
            self._publish_zones()

    def _publish_zones(self) -> None:
        self._zones.publish(zones_to_ros(self._parts.keep_out.zones))

    def _note_failure(self, sentence: str) -> None:
        self._last_error = sentence
        self.get_logger().warning(sentence)

    def _on_timer(self) -> None:
        self._check_odometry_publishers()
        self._parts.update()
        self._update()

    def _update(self) -> None:
        self._rates.note_update()
        self._react()
        if self._rates.report_is_due:
            self._publish()

    def _react(self) -> None:
        """Updates everything; called whenever time has passed or something has changed."""
        self._parts.watch(self._pose())
        self._waiter.evaluate()
        self._switch_navigation_timer()
        if self._read_status() != self._published:
            self._rates.note_change()
            self._publish()
        set_period(self._timer, self._rates.update_period_s)

    def _react_unless_at_rest(self) -> None:
        """Updates everything, except at rest, when the timer of the deadman is soon enough."""
        if not self._rates.is_at_rest:
            self._react()

    def _switch_navigation_timer(self) -> None:
        """Runs a timer in the rover's time, too, while a navigation goal is under way."""
        if self._parts.navigation_goals.is_running != self._navigation_timer.is_canceled():
            return
        if self._parts.navigation_goals.is_running:
            self._navigation_timer.reset()
        else:
            self._navigation_timer.cancel()

    def _publish(self) -> None:
        self._rates.note_report()
        self._published = self._read_status()
        self._status.publish(status_to_ros(report_of(self._published, self._parts.measurements())))
        self._diagnostics.update()

    def _status_json(self) -> str:
        return status_to_json(self._read_status(), self._parts.measurements())

    def _read_status(self) -> RoverStatus:
        return self._parts.status(self._last_error, self._last_refusal)

    def _pose(self) -> Transform | None:
        frames = self._config.topics.tf
        return self._tf.find(frames.world_frame, frames.base_frame)


def main() -> None:
    """Runs the node as a process."""
    run_node(AdapterNode, keeps_pace=True)


if __name__ == '__main__':
    main()
