"""The trace on its topic: std_msgs/msg/String with one JSON object."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from rover_common.ros.names import relative
from rover_common.trace_event import TraceEvent, event_to_json

DEPTH = 100


class TracePublisher:
    """Publishes each event, reliably; who comes late and asks for it gets the latest ones, too."""

    def __init__(self, node: Node, topic: str) -> None:
        profile = QoSProfile(
            depth=DEPTH,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL,
        )
        self._publisher = node.create_publisher(String, relative(topic), profile)

    def emit(self, event: TraceEvent) -> None:
        """Publishes one event."""
        self._publisher.publish(String(data=event_to_json(event)))
