"""Whether another rover runs already where the embedded one is to run: Gazebo, or a real one.

With two sources of the same transforms, odometry and joints, the rover would seem to jump between
two places.
"""

from __future__ import annotations

from collections.abc import Sequence
import time
from typing import Any

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from rover_common.config.settings import Topics
from rover_common.errors import UsageError
from rover_common.geometry.transforms import normalized_frame
from rover_common.ros.short_lived_node import short_lived_node
from rover_common.ros.tf_listener import TF_QOS
from rover_common.ros.topic_names import relative_name

DISCOVERY_S = 1.5  # it takes some tenths of a second; on a busy machine longer
PERIOD_S = 0.1
UNNAMED = 'NODE_NAME_UNKNOWN'  # a publisher may be discovered before its node


def check_no_other_rover(topics: Topics, arguments: Sequence[str]) -> None:
    """Search the graph for a moment, in a context of its own; callable from any thread.

    Args:
        topics: Names on the wire.
        arguments: ROS arguments, for the namespace.

    Raises:
        UsageError: Another node publishes the embedded rover's topics, or ROS refuses the node.
    """
    with short_lived_node('bt_executive_look', arguments) as node:
        found = _poll(_Search(node, topics), SingleThreadedExecutor(context=node.context))
    if found:
        raise UsageError(
            f'A rover runs here already: {"; ".join(found)}. The embedded one beside it would '
            'make two sources of /tf. Use curiosity.launch.py, demo.launch.py rover:=false or '
            'bt-executive up --no-rover to work with that rover; or end it, set another '
            'ROS_DOMAIN_ID, or choose a namespace.'
        )


class _Search:
    """Publishers of another rover's topics."""

    def __init__(self, node: Node, topics: Topics) -> None:
        self.node = node
        self._topics = [
            relative_name(topics.rover.odometry),
            relative_name(topics.rover.joint_states),
        ]
        self._frames = {normalized_frame(topics.tf.base_frame)}
        self._moved = False
        node.create_subscription(TFMessage, 'tf', self._on_transforms, TF_QOS)

    def found(self) -> list[str]:
        """Publishers and their topics, a phrase each."""
        seen = [self._publishers(topic) for topic in self._topics]
        return [*filter(None, seen), *([self._publishers('tf')] if self._moved else [])]

    def _on_transforms(self, message: Any) -> None:
        children = {normalized_frame(each.child_frame_id) for each in message.transforms}
        self._moved = self._moved or not children.isdisjoint(self._frames)

    def _publishers(self, topic: str) -> str:
        full = self.node.resolve_topic_name(topic)
        publishers = self.node.get_publishers_info_by_topic(full)
        names = sorted(
            {f'{each.node_namespace.rstrip("/")}/{each.node_name}' for each in publishers}
        )
        if not names and topic != 'tf':
            return ''
        return f'{", ".join(names) or "a node that has gone"} publishes {full}'


def _poll(search: _Search, executor: SingleThreadedExecutor) -> list[str]:
    executor.add_node(search.node)
    until = time.monotonic() + DISCOVERY_S
    while (not (found := search.found()) or UNNAMED in str(found)) and time.monotonic() < until:
        executor.spin_once(timeout_sec=PERIOD_S)
    executor.shutdown()
    return found
