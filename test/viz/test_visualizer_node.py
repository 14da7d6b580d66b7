"""The visualizer as a node: whatever is published, RViz sees markers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
import time

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from bt_executive.config import load_config
from bt_executive.ros.process import NodeOptions
from bt_executive.ros.tf import TF_QOS, pose_to_ros
from bt_executive.trace.event import TraceEvent, event_to_json
from bt_executive.transforms import Pose
from curiosity_viz.visualizer_node import VisualizerNode

pytestmark = pytest.mark.ros


class Stage:
    """The visualizer, a trace publisher and a listener that keeps the scene as RViz does."""

    def __init__(self) -> None:
        self.executor = SingleThreadedExecutor()
        config = load_config(None, ['thresholds.trace.buffer_size=3'])
        self.add(VisualizerNode(NodeOptions(config, None)))
        self.other = self.add(Node('other'))
        self._trace = self.other.create_publisher(String, 'trace/events', 100)
        self.other.create_subscription(MarkerArray, 'visualization_marker_array', self._show, 10)
        self.shown: dict[tuple[str, int], Marker] = {}
        self.messages = 0

    def add(self, node: Node) -> Node:
        self.executor.add_node(node)
        return node

    def say(self, text: str) -> None:
        self._trace.publish(String(data=text))

    def tell(self, message: str, score: float | None = None) -> None:
        self.say(event_to_json(TraceEvent('e', 1.0, 'ACT', message, score=score)))

    def spin_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10.0
        while not condition():
            assert time.monotonic() < deadline, 'the condition did not come true in time'
            self.executor.spin_once(timeout_sec=0.05)

    def heard(self) -> bool:
        return self._trace.get_subscription_count() > 0

    def lines(self) -> list[str]:
        return [self.shown[key].text for key in sorted(self.shown) if key[0] == 'trace']

    def _show(self, message: MarkerArray) -> None:
        self.messages += 1
        for marker in message.markers:
            assert marker.header.frame_id == 'odom'
            if marker.action == Marker.DELETEALL:
                self.shown.clear()
            elif marker.action == Marker.DELETE:
                del self.shown[marker.ns, marker.id]
            else:
                self.shown[marker.ns, marker.id] = marker

    def close(self) -> None:
        for node in self.executor.get_nodes():
            node.destroy_node()
        self.executor.shutdown()


@pytest.fixture
def stage() -> Iterator[Stage]:
    rclpy.init(args=['--ros-args', '-r', f'__ns:=/stage_{os.getpid()}'])
    made = Stage()
    try:
        made.spin_until(lambda: bool(made.shown) and made.heard())
        yield made
    finally:
        made.close()
        rclpy.shutdown()


def test_zone_trace_and_score_are_shown(stage: Stage) -> None:
    assert list(stage.shown) == [('bright_zone', 0)]
    for number in range(5):
        stage.tell(f'step {number}', score=number / 10)
    stage.spin_until(lambda: stage.lines() == [f'ACT score 0.{n} step {n}' for n in (4, 3, 2)])
    assert stage.shown['score', 0].text == '0.4'


def test_the_path_follows_the_rover(stage: Stage) -> None:
    tf = stage.other.create_publisher(TFMessage, 'tf', TF_QOS)
    stage.spin_until(lambda: tf.get_subscription_count() == 1)
    for x in (0.0, 1.0):
        pose = pose_to_ros('odom', 'base_footprint', Pose(x=x, stamp=x))
        tf.publish(TFMessage(transforms=[pose]))
        begun = stage.messages
        stage.spin_until(lambda begun=begun: stage.messages > begun)
    stage.spin_until(lambda: ('path', 0) in stage.shown)
    assert [point.x for point in stage.shown['path', 0].points] == [0.0, 1.0]


def test_a_flood_is_shown_at_the_visualizers_own_pace(stage: Stage) -> None:
    begun_at, begun = time.monotonic(), stage.messages
    for number in range(3000):
        stage.say('{' if number % 3 else event_to_json(TraceEvent('e', 1.0, 'ACT', 'x')))
        stage.executor.spin_once(timeout_sec=0.0)
    stage.tell('the end')
    stage.spin_until(lambda: stage.lines()[:1] == ['ACT the end'])
    assert stage.messages - begun <= (time.monotonic() - begun_at) / 0.2 + 2


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(st.text() | st.binary().map(lambda raw: raw.decode('latin-1')), max_size=5))
def test_broken_traces_do_not_end_it(stage: Stage, texts: list[str]) -> None:
    for text in texts:
        stage.say(text)
    mark = f'after {time.monotonic_ns()}'
    stage.tell(mark)
    stage.spin_until(lambda: stage.lines()[:1] == [f'ACT {mark}'])
