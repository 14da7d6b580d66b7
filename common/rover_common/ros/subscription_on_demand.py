"""A subscription that exists while its messages are requested, and for a while after.

A camera without subscribers renders nothing; that of the embedded rover takes 100 MB to render.
"""

from __future__ import annotations

from collections.abc import Callable
import math
import time
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription


class SubscriptionOnDemand:
    """Used by the thread that spins the node, except for `request`.

    Args:
        node: Owns the subscription.
        message: The message type.
        topic: Its topic.
        receive: Called with each message.
        qos: Of the subscription.
        kept_s: For how long it is kept after the latest request, in s of steady time.
        group: Its callback group; the node's default one if None.

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
