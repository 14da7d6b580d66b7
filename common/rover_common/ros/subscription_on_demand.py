"""A topic that is subscribed to while somebody wants it, and a while after.

A camera that nobody reads draws nothing, and that of the embedded rover takes 100 MB for it.
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
    """Used by the thread that serves ROS alone, but for `want`.

    Args:
        node: Whose subscription it is.
        message: The type of the messages.
        topic: Their topic.
        receive: Is called with each message.
        qos: Of the subscription.
        kept_s: For how long it is kept after it was wanted last, in s of steady time.
        group: Of its callback; left out: the node's.

    Attributes:
        began_at: Steady s of the latest subscription; None: there is none now.
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
        self._wanted_until = -math.inf
        self.began_at: float | None = None

    def want(self) -> None:
        """Wants the messages; the next `update` subscribes."""
        self._wanted_until = time.monotonic() + self._kept_s

    def begin(self) -> None:
        """Wants the messages, and subscribes at once."""
        self.want()
        self.update()

    def update(self) -> None:
        """Begins the subscription, or ends it; to be called again and again."""
        wanted = self.is_wanted
        if wanted and self._subscription is None:
            self._subscription, self.began_at = self._make(), time.monotonic()
        elif not wanted and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = self.began_at = None

    @property
    def is_wanted(self) -> bool:
        """Whether somebody wants the messages, or did so a while ago."""
        return time.monotonic() < self._wanted_until

    @property
    def is_offered(self) -> bool:
        """Whether somebody publishes on the topic."""
        return bool(self._node.count_publishers(self._topic))
