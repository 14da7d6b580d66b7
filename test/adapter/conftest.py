"""A small rover, an adapter and a caller: real nodes on real DDS, in one process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future as Promise
from contextlib import ExitStack
from dataclasses import dataclass, field
import json
import time
from typing import Any, TypeVar

from bt_executive_interfaces.msg import AdapterStatus
import pytest
import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future
from sensor_msgs.msg import JointState
from spinning import spinning
from status_messages import facts_of
from std_srvs.srv import Empty, Trigger
from unshaken import UnshakenClock
from waiting import LIMIT_S, wait_until

from curiosity_adapter.adapter_node import AdapterNode
from curiosity_navigation.navigation_node import NavigationNode
from rover_common.config.load import load_config
from rover_common.permit import NO_PERMIT, Permit
from rover_common.ros.heartbeat_setpoint_and_status import HeartbeatPublisher
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.run_node import NodeOptions

MOTIONS = ('move_forward', 'turn_left', 'turn_right')
MASTS = {
    # Like the demo's trajectories, at ten times their speed: (s, tilt, pan).
    'mast_open': [(0.1, 0.0, -0.5)],
    'mast_close': [(0.1, 1.57, -1.57)],
    'mast_rotate': [(0.2, 0.0, -1.57), (0.4, 0.0, -3.14), (0.6, 0.0, -6.28)],
}
STEP_S = 0.02
SETTINGS = ('curiosity.mast.settle_s=0.06', 'curiosity.deadman.manual_mode=true')


@dataclass
class Faults:
    """What goes wrong with the small rover; change it at any time."""

    held: set[str] = field(default_factory=set)  # not carried out before its name is taken out
    mute: set[str] = field(default_factory=set)  # it is carried out but never answered
    jammed: bool = False  # the mast does not move
    blind: bool = False  # no joint states


class SmallRover(Node):
    """Motions latch as in the Curiosity demo; the mast follows its trajectory."""

    def __init__(self, *services: str) -> None:
        super().__init__('small_rover')
        self.faults = Faults()
        self.requests: list[tuple[float, str]] = []
        self.done: list[str] = []  # what was carried out, in that order
        self.rolling = False
        self.tilt, self.pan = 0.0, 0.0
        self.violations: list[str] = []
        self._path: list[tuple[float, float, float]] = []
        self._time_s = 0.0  # of its steps: a busy machine leaves none of the mast's way out
        self._waiting: list[Future] = []
        self._joints = self.create_publisher(JointState, 'joint_states', 10)
        self._group = ReentrantCallbackGroup()
        self.offer(*services)
        self.create_timer(STEP_S, self._step, callback_group=self._group)

    def offer(self, *services: str) -> None:
        for name in services:
            self.create_service(Empty, name, self._serve(name), callback_group=self._group)

    def asked(self, name: str) -> int:
        return sum(1 for _, request in self.requests if request == name)

    def push_mast(self, tilt: float) -> None:
        """Something moves the mast although nobody asked for it."""
        self._path = [(0.0, tilt, self.pan), (STEP_S, tilt, self.pan)]

    def _serve(self, name: str) -> Callable[..., Any]:
        async def serve(_request: Empty.Request, response: Empty.Response) -> Empty.Response:
            self.requests.append((time.monotonic(), name))
            while name in self.faults.held:
                self._waiting.append(Future())
                await self._waiting[-1]
            self._do(name)
            if name in self.faults.mute:
                await Future()
            return response

        return serve

    def _do(self, name: str) -> None:
        if name == 'move_stop':
            self.rolling = False
        elif name in MOTIONS:
            self.rolling = True
        else:
            begin = self._time_s
            points = [(begin + after, tilt, pan) for after, tilt, pan in MASTS[name]]
            self._path = [(begin, self.tilt, self.pan), *points]
        self.done.append(name)
        self._check()

    def _step(self) -> None:
        self._time_s += STEP_S
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.set_result(None)
        if not self.faults.jammed:
            self._follow(self._time_s)
        self._check()
        if not self.faults.blind:
            names = ['wheel', 'mast_p_joint', 'mast_02_joint', 'mast_cameras_joint']
            self._joints.publish(JointState(name=names, position=[0.0, self.tilt, self.pan, 0.1]))

    def _follow(self, now: float) -> None:
        for (t0, tilt0, pan0), (t1, tilt1, pan1) in zip(self._path, self._path[1:], strict=False):
            share = min(1.0, (now - t0) / (t1 - t0))
            if share > 0.0:
                self.tilt = tilt0 + share * (tilt1 - tilt0)
                self.pan = pan0 + share * (pan1 - pan0)

    def _check(self) -> None:
        if self.rolling and abs(self.tilt - 1.57) > 0.1:
            self.violations.append(f'rolling with the mast at {self.tilt:.2f} rad')


class Caller(Node):
    """Calls the adapter's services from any thread and follows its status."""

    def __init__(self) -> None:
        super().__init__('caller')
        self.status: dict[str, Any] = {}
        self._permits = 0
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(AdapterStatus, 'adapter/status', self._take_status, latched)
        self._heartbeat = HeartbeatPublisher(self, 'test')
        names = (*MOTIONS, 'move_stop', *MASTS, 'get_status')
        self._service_clients = {
            name: self.create_client(Trigger, f'adapter/{name}') for name in names
        }

    def _take_status(self, message: AdapterStatus) -> None:
        self.status = facts_of(message)

    def heartbeat(self) -> None:
        self._heartbeat.publish()

    def permit(self, motion: str) -> None:
        """Permits a motion from now on, each time anew; '' for none."""
        self._permits += bool(motion)
        self._heartbeat.permit(Permit(motion, self._permits) if motion else NO_PERMIT)

    def offered(self, name: str) -> bool:
        return bool(self._service_clients[name].service_is_ready())

    def send(self, name: str) -> Promise[Trigger.Response]:
        promise: Promise[Trigger.Response] = Promise()
        future = self._service_clients[name].call_async(Trigger.Request())
        future.add_done_callback(lambda done: promise.set_result(done.result()))
        return promise

    def call(self, name: str) -> str:
        """The reason of a failed call, '' of a successful one."""
        response = self.send(name).result(timeout=60.0)
        assert response.success == (response.message == '' or name == 'get_status')
        return str(response.message)

    def told(self) -> dict[str, Any]:
        """The status of this moment; `status` may still be of a moment ago."""
        content: dict[str, Any] = json.loads(self.call('get_status'))
        return content


Made = TypeVar('Made', bound=Node)


class World:
    """Nodes that spin, each in its own thread."""

    def __init__(self) -> None:
        self._spinning: dict[Node, ExitStack] = {}

    def add(self, node: Made) -> Made:
        executor = LowLatencyExecutor()
        executor.add_node(node)
        ending = self._spinning[node] = ExitStack()
        ending.callback(node.destroy_node)
        ending.callback(executor.shutdown)
        ending.enter_context(spinning(executor))
        return node

    def remove(self, node: Node) -> None:
        self._spinning.pop(node).close()

    def adapter(self, *overrides: str, **clocks: Callable[[], float]) -> AdapterNode:
        config = load_config(None, [*SETTINGS, *overrides])
        clocks = {'steady': UnshakenClock()} | clocks
        return self.add(AdapterNode(NodeOptions(config, None), **clocks))

    def navigator(self, *overrides: str, **clocks: Callable[[], float]) -> NavigationNode:
        config = load_config(None, [*SETTINGS, *overrides])
        clocks = {'steady': UnshakenClock()} | clocks
        return self.add(NavigationNode(NodeOptions(config, None), **clocks))

    def wait_until(self, condition: Callable[[], Any], timeout_s: float = LIMIT_S) -> None:
        wait_until(condition, limit_s=timeout_s)

    def end(self) -> None:
        for node in list(self._spinning):
            self.remove(node)


@pytest.fixture
def world() -> Iterator[World]:
    rclpy.init()
    made = World()
    try:
        yield made
    finally:
        made.end()
        rclpy.shutdown()


@pytest.fixture
def make_rover(world: World) -> Callable[..., SmallRover]:
    def make(*services: str) -> SmallRover:
        return world.add(SmallRover(*services))

    return make


@pytest.fixture
def rover(make_rover: Callable[..., SmallRover]) -> SmallRover:
    return make_rover(*MOTIONS, 'move_stop', *MASTS)


@pytest.fixture
def caller(world: World) -> Caller:
    return world.add(Caller())


@pytest.fixture
def ready(world: World, rover: SmallRover, caller: Caller) -> Callable[..., None]:
    """Starts an adapter and waits until it has stopped the rover and knows the mast."""

    def start(*overrides: str) -> None:
        world.adapter(*overrides)
        world.wait_until(lambda: rover.asked('move_stop') and caller.offered('get_status'))
        world.wait_until(lambda: caller.status.get('mast') != 'unknown' and caller.status)

    return start
