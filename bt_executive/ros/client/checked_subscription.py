"""Subscriptions of the console: what cannot be read is refused and told, never raised."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any, TypeVar

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from bt_executive.client.front_end_events import ClientEvent, Problem
from bt_executive.client.message_checks import why_refused

M = TypeVar('M', bound=Any)  # a type of message

QUIET_S = 10.0  # refusals on one topic are told so often: a stranger may publish a lot


class ConsoleBorder:
    """Used in the client's thread alone. `put` takes `Problem`."""

    def __init__(self, node: Node, put: Callable[[ClientEvent], None]) -> None:
        self.node = node
        self._put = put
        self._told_at: dict[str, float] = {}

    def subscribe(
        self, kind: type[M], topic: str, handle: Callable[[M], None], qos: QoSProfile | int
    ) -> Subscription:
        """Subscribe; `handle` raises ValueError for a message that cannot be used."""

        def came(message: M) -> None:
            try:
                handle(message)
            except ValueError as error:
                self.refuse(topic, error)

        return self.node.create_subscription(kind, topic, came, qos)

    def refuse(self, topic: str, error: Exception) -> None:
        """Tells that a message is refused, once in a while for each topic."""
        now = time.monotonic()
        if now - self._told_at.get(topic, -QUIET_S) >= QUIET_S:
            self._told_at[topic] = now
            self._put(Problem(f'A message on {topic} is refused: {why_refused(error)}'))
