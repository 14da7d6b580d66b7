"""A stage: a tree host on a node of its own, viewers beside it, and ticks by the test's thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
import sys
import threading
import time
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Access, Status
from py_trees_ros_interfaces.msg import BehaviourTree, SnapshotStreamParameters
from py_trees_ros_interfaces.srv import OpenSnapshotStream
import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from waiting import wait_until

from bt_executive.ros.tree_stream.own_tree_host import OwnTreeHost
from bt_executive.ros.tree_stream.stream_lifetime import Grace
from bt_executive.ros.tree_stream.tree_host_choice import TreeHost, give_stable_ids
from rover_common.ros.low_latency_executor import LowLatencyExecutor

DEADLINE_S = 60.0
NEVER = sys.float_info.max  # what py_trees calls infinite, and accepts; ours takes inf, too


def known_hosts() -> dict[str, Any]:
    """Every tree host that this machine has."""
    hosts: dict[str, Any] = {'ours': OwnTreeHost}
    try:
        from bt_executive.ros.tree_stream.distribution_tree_host import DistributionTreeHost
    except ImportError:
        return hosts
    return {**hosts, 'py_trees_ros': DistributionTreeHost}


HOSTS = known_hosts()


@dataclass(frozen=True)
class Place:
    """A value with fields."""

    x: float = 0.0
    y: float = 0.0


class Actor(Behaviour):
    """Does what the test says."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.outcome, self.words = Status.RUNNING, ''

    def update(self) -> Status:
        self.feedback_message = self.words
        return self.outcome


class Stage:
    """The root is a sequence of `first` and `second`; `first` writes `/mode`."""

    def __init__(self, kind: str, grace: Grace, overrides: dict[str, Any]) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.first, self.second = Actor('first'), Actor('second')
        client = self.first.attach_blackboard_client(name='first')
        client.register_key('/mode', Access.WRITE)
        self.root = py_trees.composites.Sequence('root', False, [self.first, self.second])
        give_stable_ids(self.root)
        self.board: dict[str, object] = {'/mode': 'IDLE', '/place': Place(1.0, 2.0)}
        self.node = Node(
            'executive',
            context=self.context,
            parameter_overrides=[Parameter(name, value=each) for name, each in overrides.items()],
        )
        self.host: TreeHost = HOSTS[kind](self.node, self.root, lambda: self.board, grace)
        self.executor = LowLatencyExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.ended = threading.Event()
        self.thread.start()
        self.viewers: list[Viewer] = []
        self.spans: list[tuple[int, int]] = []  # system time in ns, of each tick

    def viewer(self) -> Viewer:
        """Somebody who looks, in a participant of its own."""
        viewer = Viewer()
        self.viewers.append(viewer)
        return viewer

    def tick(self, times: int = 1) -> None:
        for _ in range(times):
            begin = time.time_ns()
            self.host.before_tick()
            self.host.after_tick(list(self.root.tick()))
            self.spans.append((begin, time.time_ns()))

    def tick_at(self, stamp_ns: int) -> tuple[int, int]:
        """Begin and end of the tick that was at this time."""
        return next(span for span in self.spans if span[0] <= stamp_ns <= span[1])

    def until(self, done: Callable[[], Any], tick: bool = True) -> None:
        """Ticks until `done`."""

        def go_on() -> None:
            if tick:
                self.tick()
            self.ended.wait(0.002)
            for viewer in self.viewers:
                viewer.look()

        wait_until(done, meanwhile=go_on)

    def publishers(self, topic: str) -> int:
        return int(self.node.count_publishers(topic))

    def close_host(self) -> None:
        """As at the end of the process; viewers stay."""
        self.ended.set()
        self.thread.join()
        self.node.destroy_node()
        self.context.try_shutdown()

    def _spin(self) -> None:
        while not self.ended.is_set():
            self.executor.spin_once(timeout_sec=0.05)


class Viewer:
    """A node with clients and subscriptions; `look` lets what has come in."""

    def __init__(self) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = Node('viewer', context=self.context)
        self.executor = LowLatencyExecutor(context=self.context)
        self.executor.add_node(self.node)

    def look(self) -> None:
        self.executor.spin_once(timeout_sec=0.01)

    def ask(self, kind: Any, name: str, **fields: Any) -> Any:
        """Calls a service and returns the answer, without anybody ticking."""
        client = self.node.create_client(kind, name)
        assert client.wait_for_service(timeout_sec=DEADLINE_S)
        future = client.call_async(kind.Request(**fields))
        self.executor.spin_until_future_complete(future, timeout_sec=DEADLINE_S)
        assert future.done(), f'{name} did not answer'
        return future.result()

    def open(self, name: str = '', period: float = NEVER, **wanted: bool) -> str:
        """Opens a snapshot stream."""
        parameters = SnapshotStreamParameters(snapshot_period=period, **wanted)
        service = '/executive/snapshot_streams/open'
        answer = self.ask(OpenSnapshotStream, service, topic_name=name, parameters=parameters)
        return str(answer.topic_name)

    def watch(self, topic: str, kind: Any = BehaviourTree, latched: bool = True) -> list[Any]:
        """Subscribes to an open stream; messages are appended to the list.

        A stream sends once it knows its viewer, and keeps the latest message only: so that the
        first is not missed, the viewer has to know the stream.
        """
        messages: list[Any] = []
        profile = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
        if latched:
            profile.durability = DurabilityPolicy.TRANSIENT_LOCAL
        subscription = self.node.create_subscription(kind, topic, messages.append, profile)
        wait_until(subscription.get_publisher_count, f'{topic} has a publisher')
        return messages

    def leave(self) -> None:
        """Is gone without closing what it opened."""
        if self.context.ok():
            self.node.destroy_node()
            self.context.try_shutdown()


@pytest.fixture(params=list(HOSTS))
def host_kind(request: pytest.FixtureRequest) -> str:
    """The contract holds for each."""
    return str(request.param)


@pytest.fixture
def set_stage(host_kind: str) -> Iterator[Callable[..., Stage]]:
    """Makes stages; `grace` and parameter overrides as wanted."""
    stages: list[Stage] = []

    def make(grace: Grace | None = None, **overrides: Any) -> Stage:
        stages.append(Stage(host_kind, grace or Grace(), overrides))
        return stages[-1]

    yield make
    for stage in stages:
        for viewer in stage.viewers:
            viewer.leave()
        if not stage.ended.is_set():
            stage.close_host()


@pytest.fixture
def stage(set_stage: Callable[..., Stage]) -> Stage:
    """A stage with everything by default."""
    return set_stage()
