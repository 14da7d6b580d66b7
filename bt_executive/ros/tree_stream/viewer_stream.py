"""A stream: one publisher that viewers asked for, and whether any of them is still there."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node

from bt_executive.ros.tree_stream.subscriber_watch import Grace, SubscriberWatch
from rover_common.ros.latched import LATCHED


class Stream:
    """Base of snapshot and board streams. `now` in s of the steady clock.

    Latched: a viewer subscribes after it was told the topic, and must see the tree as it is.
    """

    def __init__(
        self, node: Node, message_type: Any, topic: str, grace: Grace, now: float
    ) -> None:
        self.publisher = node.create_publisher(message_type, topic, LATCHED)
        self.topic = str(self.publisher.topic_name)
        self._attendance = SubscriberWatch(grace, now)

    def subscribers(self, now: float) -> int:
        """How many there are now."""
        return self._attendance.note(int(self.publisher.get_subscription_count()), now)

    def is_abandoned(self, now: float) -> bool:
        """Whether its viewers are gone for good."""
        return not self.subscribers(now) and self._attendance.is_over(now)
