"""A subscription that wakes nobody: its messages wait in the middleware until asked for."""

from __future__ import annotations

from collections.abc import Iterator
import time
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile


class _Unserved(CallbackGroup):
    """No executor calls what is in it, nor waits for it."""

    def can_execute(self, _entity: Any) -> bool:
        """Never."""
        return False

    def beginning_execution(self, _entity: Any) -> bool:
        """Never."""
        return False

    def ending_execution(self, _entity: Any) -> None:
        """There is nothing to end."""


class PolledSubscription:
    """For what is seldom of interest and comes often. Used in one thread alone.

    Args:
        node: Whose subscription it is.
        message: The type of the messages.
        topic: Their topic.
        qos: With a depth for all messages between two polls.
    """

    def __init__(self, node: Node, message: type, topic: str, qos: QoSProfile) -> None:
        self._group = _Unserved()
        self._subscription = node.create_subscription(
            message, topic, lambda _message: None, qos, callback_group=self._group
        )

    def messages(self) -> Iterator[Any]:
        """Yields what has come since the last time."""
        yield from (message for message, _age_s in self.aged_messages())

    def aged_messages(self) -> Iterator[tuple[Any, float]]:
        """Yield the same, each with its time since reception, in s."""
        kind, handle = self._subscription.msg_type, self._subscription.handle
        now = time.time_ns()
        with handle:
            while (taken := handle.take_message(kind, False)) is not None:
                message, about = taken
                yield message, max(now - about['received_timestamp'], 0) * 1e-9
