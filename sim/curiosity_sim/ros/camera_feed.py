"""The camera's pictures: subscribed to while somebody wants them, and a while after.

A camera that nobody reads draws nothing, and the one of the embedded rover takes 100 MB for it.
"""

from __future__ import annotations

from collections.abc import Callable
import time

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from sensor_msgs.msg import CompressedImage

KEPT_S = 10.0  # so long it is subscribed to after it was wanted
NEWEST_OR_NONE = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class CameraFeed:
    """Used by the thread that serves ROS alone.

    Args:
        node: Whose subscription it is.
        topic: Of the compressed pictures.
        receive: Is called with each picture.

    Attributes:
        began_at: Steady s of the latest subscription; None: nobody wants pictures now.
    """

    def __init__(
        self, node: Node, topic: str, receive: Callable[[CompressedImage], object]
    ) -> None:
        self._node, self._topic, self._receive = node, topic, receive
        self._subscription: Subscription | None = None
        self._wanted_at = 0.0
        self.began_at: float | None = None

    def want(self) -> None:
        """Subscribes, or goes on with it."""
        self._wanted_at = time.monotonic()
        if self._subscription is None:
            self.began_at = self._wanted_at
            self._subscription = self._node.create_subscription(
                CompressedImage, self._topic, self._receive, NEWEST_OR_NONE
            )

    def rest(self) -> None:
        """Unsubscribes if it was not wanted for a while; to be called again and again."""
        if self._subscription is not None and time.monotonic() - self._wanted_at > KEPT_S:
            self._node.destroy_subscription(self._subscription)
            self._subscription = self.began_at = None

    @property
    def is_offered(self) -> bool:
        """Whether there is a camera that could be read."""
        return bool(self._node.count_publishers(self._topic))
