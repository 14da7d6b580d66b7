"""The node `curiosity_adapter`: Trigger services with reasons over Curiosity's Empty services.

Services (std_srvs/srv/Trigger, names in topics.yaml, section adapter): move_forward, turn_left,
turn_right, move_stop, mast_rotate, get_status; in Variant B also mast_open and mast_close.
Publishes /adapter/status (std_msgs/msg/String, JSON). Listens to executive/heartbeat
(std_msgs/msg/Header), joint states and tf. Calls the services of topics.yaml, section curiosity.

No callback blocks: the services are coroutines, so one thread serves everything, and the deadman
is looked at while any number of calls wait.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
import time
from typing import Any, get_args

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import Header, String
from std_srvs.srv import Empty, Trigger

from bt_executive.ros.names import relative
from bt_executive.ros.process import NodeOptions, run_node
from bt_executive.ros.tf import TfListener
from bt_executive.settings import RoverServices
from bt_executive.transforms import Pose, TransformError
from curiosity_adapter.base import Base
from curiosity_adapter.deadman import Deadman
from curiosity_adapter.exclusivity import Exclusivity
from curiosity_adapter.mast import MastCommand
from curiosity_adapter.mast_control import MastControl
from curiosity_adapter.rover import Rover
from curiosity_adapter.status import AdapterStatus, status_to_json
from curiosity_adapter.waits import Waits

MOTIONS = ('move_forward', 'turn_left', 'turn_right')
HEARTBEAT = 'executive/heartbeat'
LATEST = QoSProfile(depth=1)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
LAST_STOP_WAIT_S = 1.0


class AdapterNode(Node):
    """Wires the parts of the adapter to ROS."""

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('curiosity_adapter', **options.node_arguments())
        self._config = options.config
        settings = self._config.curiosity
        clock = time.monotonic
        self._clock = clock
        self._group = ReentrantCallbackGroup()
        self._waits = Waits(clock, Future)
        self._exclusivity = Exclusivity(self._config.executive.variant)
        self._deadman = Deadman(settings.deadman.timeout_s, settings.motion.longest_s)
        rover = self._make_rover()
        self._base = Base(
            rover,
            self._exclusivity,
            self._deadman,
            self._waits,
            settings.motion,
            clock,
            on_change=self._react,
            on_halt=self._note_failure,
        )
        self._mast = MastControl(
            rover, self._exclusivity, self._waits, settings.mast, clock, on_change=self._react
        )
        self._tf = TfListener(self)
        self._last_error: str | None = None
        self._published: AdapterStatus | None = None
        self._listen()
        self._offer()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        for period_s, callback in (
            (settings.deadman.check_period_s, self._react),
            (settings.motion.status_period_s, self._publish),
        ):
            self.create_timer(period_s, callback, callback_group=self._group, clock=steady)

    def shut_down(self, executor: Executor) -> None:
        """Stops a rover that is moving or may be, and waits briefly for its answer."""
        self._base.close('the adapter is ending')
        deadline = self._clock() + LAST_STOP_WAIT_S
        while self._exclusivity.motion and self._clock() < deadline:
            self._react()
            executor.spin_once(timeout_sec=0.02)

    def _make_rover(self) -> Rover:
        topics = self._config.topics.curiosity
        names = {key: relative(getattr(topics, key).name) for key in RoverServices.model_fields}
        clients = {
            key: self.create_client(Empty, name, callback_group=self._group)
            for key, name in names.items()
        }
        resolved = {key: self.resolve_service_name(name) for key, name in names.items()}
        return Rover(clients, resolved, Empty.Request, self._waits, self._config.curiosity.motion)

    def _listen(self) -> None:
        joint_states = relative(self._config.topics.rover.joint_states)
        for type_, name, callback, qos in (
            (Header, HEARTBEAT, self._take_heartbeat, LATEST),
            (JointState, joint_states, self._take_joints, qos_profile_sensor_data),
        ):
            self.create_subscription(type_, name, callback, qos, callback_group=self._group)

    def _offer(self) -> None:
        topics = self._config.topics.adapter
        self._status = self.create_publisher(String, relative(topics.status.name), LATCHED)
        work: dict[str, Callable[[], Awaitable[str]]] = {'move_stop': self._base.stop}
        work |= {name: partial(self._base.start, name) for name in MOTIONS}
        work |= {name: partial(self._mast.run, name) for name in self._mast_commands()}
        for key, do in work.items():
            self._serve(getattr(topics, key).name, partial(self._answer, do))
        self._serve(topics.get_status.name, self._tell_status)

    def _mast_commands(self) -> tuple[MastCommand, ...]:
        if self._config.executive.variant == 'A':
            return ('mast_rotate',)
        return get_args(MastCommand)

    def _serve(self, name: str, callback: Callable[..., Any]) -> None:
        self.create_service(Trigger, relative(name), callback, callback_group=self._group)

    async def _answer(
        self,
        do: Callable[[], Awaitable[str]],
        _request: Trigger.Request,
        response: Trigger.Response,
    ) -> Trigger.Response:
        self._react()
        reason = await do()
        if reason:
            self._note_failure(reason)
        self._react()
        response.success, response.message = not reason, reason
        return response

    def _tell_status(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        self._react()
        response.success, response.message = True, self._status_json()
        return response

    def _take_heartbeat(self, _beat: Header) -> None:
        self._deadman.beat(self._clock())

    def _take_joints(self, message: JointState) -> None:
        self._mast.take_joints(message.name, message.position)
        self._react()

    def _note_failure(self, reason: str) -> None:
        self._last_error = reason
        self.get_logger().warning(reason)

    def _react(self) -> None:
        """What must happen whenever time has passed or something has changed."""
        self._mast.watch()
        self._base.watch()
        self._waits.look()
        if self._read_status() != self._published:
            self._publish()

    def _publish(self) -> None:
        self._published = self._read_status()
        self._status.publish(String(data=self._status_json()))

    def _status_json(self) -> str:
        return status_to_json(self._read_status(), self._pose())

    def _read_status(self) -> AdapterStatus:
        variant = self._config.executive.variant
        return AdapterStatus(
            variant=variant,
            mast_is_open=self._exclusivity.mast_is_open,
            mast=None if variant == 'A' else self._exclusivity.mast,
            mast_command=self._exclusivity.mast_command,
            move_allowed=self._exclusivity.move_allowed,
            moving=self._exclusivity.motion is not None,
            motion=self._exclusivity.motion,
            deadman=self._deadman.state(self._clock()),
            last_error_reason=self._last_error,
        )

    def _pose(self) -> Pose | None:
        frames = self._config.topics.tf
        try:
            return self._tf.lookup(frames.world_frame, frames.base_frame)
        except TransformError:
            return None


def main() -> None:
    """Runs the node as a process."""
    run_node(AdapterNode)


if __name__ == '__main__':
    main()
