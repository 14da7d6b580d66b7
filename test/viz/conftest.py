"""The visualizer on a stage, with a viewer that keeps the scene as RViz does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
from typing import Any

from hostile_traces import good_event
import pytest
import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile
from spinning import turn_of
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray
from waiting import wait_until

from curiosity_viz import visualizer_node
from curiosity_viz.visualizer_node import VisualizerNode
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions
from rover_common.ros.tf_listener import TF_QOS, pose_to_ros

LINES = 3


class Stage:
    """The visualizer, a node that speaks for everybody else, and a viewer."""

    def __init__(self) -> None:
        self.executor = LowLatencyExecutor()
        self.options = NodeOptions(
            load_config(None, [f'thresholds.trace.buffer_size={LINES}']), None
        )
        self.visualizer = self.add(VisualizerNode(self.options))
        self.other = self.add(Node('other', start_parameter_services=False))
        self._speakers: dict[str, Any] = {}
        self.shown: dict[tuple[str, int], Marker] = {}
        self.messages = self.sent = 0
        self.watch()

    def add(self, node: Node) -> Node:
        self.executor.add_node(node)
        return node

    def remove(self, node: Node) -> None:
        self.executor.remove_node(node)
        node.destroy_node()

    def watch(self) -> None:
        qos = QoSProfile(depth=10)
        self.viewer = self.add(Node('viewer', start_parameter_services=False))
        self.viewer.create_subscription(MarkerArray, 'visualization_marker_array', self._show, qos)

    def speaker(self, topic: str, type_: type = String, qos: Any = LATCHED) -> Any:
        """A publisher to which the visualizer listens."""
        if topic not in self._speakers:
            made = self._speakers[topic] = self.other.create_publisher(type_, topic, qos)
            self.spin_until(lambda: made.get_subscription_count() > 0)
        return self._speakers[topic]

    def say(self, text: str, topic: str = 'trace/events') -> None:
        self.speaker(topic, qos=100 if topic == 'trace/events' else LATCHED).publish(
            String(data=text)
        )

    def publish(self, topic: str, message: Any) -> None:
        """Publishes a latched message."""
        self.speaker(topic, type(message)).publish(message)

    def tell(self, message: str, **changes: Any) -> None:
        self.say(good_event(message, **changes))

    def move(self, pose: Transform, frame: str = 'odom') -> None:
        moved = pose_to_ros(frame, 'base_footprint', pose)
        self.speaker('tf', TFMessage, TF_QOS).publish(TFMessage(transforms=[moved]))

    def spin_until(self, condition: Callable[[], bool]) -> None:
        wait_until(condition, meanwhile=turn_of(self.executor))

    def spin_until_shown(self, message: str) -> None:
        self.spin_until(lambda: self.lines()[:1] == [f'ACT {message}'])

    def lines(self) -> list[str]:
        return [self.shown[key].text for key in sorted(self.shown) if key[0] == 'trace']

    def text(self, name: str, number: int = 0) -> str:
        marker = self.shown.get((name, number))
        return marker.text if marker else ''

    def names(self) -> set[str]:
        return {name for name, _ in self.shown}

    def _show(self, message: MarkerArray) -> None:
        self.messages += 1
        self.sent += len(message.markers)
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
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """Looks five times as often as in earnest; what is told to it costs little time."""
    monkeypatch.setattr(visualizer_node, 'UPDATE_PERIOD_S', 0.04)
    rclpy.init(args=['--ros-args', '-r', f'__ns:=/stage_{os.getpid()}'])
    made = Stage()
    try:
        made.spin_until(lambda: bool(made.shown))
        yield made
    finally:
        made.close()
        rclpy.shutdown()
