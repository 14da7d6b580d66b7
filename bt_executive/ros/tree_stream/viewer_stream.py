"""A stream: one publisher for viewers, and whether any of them is still there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from rover_common.ros.qos import LATCHED


@dataclass(frozen=True)
class Grace:
    """How long (s) a stream is kept without a subscriber, and one of an earlier run looked for."""

    to_come: float = 30.0  # a viewer must discover the publisher; a person types the topic's name
    to_return: float = 10.0
    to_adopt: float = 15.0  # after the start: discovery of a network takes a few seconds


class SubscriberWatch:
    """Measures for how long (steady s) a stream had no subscriber."""

    def __init__(self, grace: Grace, now: float) -> None:
        self._grace = grace
        self._seen_at = now
        self._limit = grace.to_come

    def note(self, subscribers: int, now: float) -> int:
        """Takes the present number of subscribers, and returns it."""
        if subscribers:
            self._seen_at, self._limit = now, self._grace.to_return
        return subscribers

    def is_over(self, now: float) -> bool:
        """Whether the stream may be dropped."""
        return now - self._seen_at > self._limit


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
        """Return the present number of subscribers."""
        return self._attendance.note(int(self.publisher.get_subscription_count()), now)

    def is_abandoned(self, now: float) -> bool:
        """Whether its viewers are gone for good."""
        return not self.subscribers(now) and self._attendance.is_over(now)
