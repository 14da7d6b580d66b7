"""Subscriptions to publishers of either reliability, one that is polled, and one on demand."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
import math
import time
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription


def subscribe_to_all(
    node: Node, kind: type, topic: str, receive: Callable[[Any], object], depth: int
) -> None:
    """Subscribe to publishers that are reliable and to those that are not, as two subscriptions.

    A reliable subscription gets nothing of a publisher with best effort, and one with best effort
    may lose a message of any publisher. A message that comes by both is received once. rclpy warns
    of the publishers of which the reliable one gets nothing.
    """
    received = deque[tuple[int, Any]](maxlen=2 * depth)

    def receive_once(message: Any, about: Mapping[str, int]) -> None:
        sent = about['source_timestamp'], message
        if sent[0] and sent in received:
            return
        received.append(sent)
        receive(message)

    for reliability in (ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT):
        node.create_subscription(
            kind, topic, receive_once, QoSProfile(depth=depth, reliability=reliability)
        )


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

    `qos`: with a depth for all messages between two polls.
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


class SubscriptionOnDemand:
    """Exists while its messages are requested, and for a while after.

    A camera without subscribers renders nothing; that of the embedded rover takes 100 MB to
    render. Used by the thread that spins the node, except for `request`.

    Args: as of `Node.create_subscription`; `kept_s`: for how long it is kept after the latest
    request, in s of steady time.

    Attributes:
        subscribed_at: Steady s at which the current subscription was made; None: there is none.
    """

    def __init__(
        self,
        node: Node,
        message: type,
        topic: str,
        receive: Callable[[Any], object],
        qos: QoSProfile,
        kept_s: float,
        group: CallbackGroup | None = None,
    ) -> None:
        self._node, self._topic, self._kept_s = node, topic, kept_s
        self._make = lambda: node.create_subscription(
            message, topic, receive, qos, callback_group=group
        )
        self._subscription: Subscription | None = None
        self._requested_until = -math.inf
        self.subscribed_at: float | None = None

    def request(self) -> None:
        """Request the messages; the next `update` subscribes."""
        self._requested_until = time.monotonic() + self._kept_s

    def subscribe(self) -> None:
        """Request the messages, and subscribe at once."""
        self.request()
        self.update()

    def update(self) -> None:
        """Make or destroy the subscription as requested; to be called periodically."""
        requested = self.is_requested
        if requested and self._subscription is None:
            self._subscription, self.subscribed_at = self._make(), time.monotonic()
        elif not requested and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = self.subscribed_at = None

    @property
    def is_requested(self) -> bool:
        """Whether the messages were requested within the last `kept_s`."""
        return time.monotonic() < self._requested_until

    @property
    def is_offered(self) -> bool:
        """Whether the topic has a publisher."""
        return bool(self._node.count_publishers(self._topic))
