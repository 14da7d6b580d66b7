"""The rover's camera: listened to only while somebody looks, and for a while after."""

from __future__ import annotations

from collections.abc import Callable
import time

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription
from sensor_msgs.msg import CompressedImage

from rover_common.ros.message_conversions import seconds_from_ros

KEPT_S = 30.0  # so long it is listened to after a look
ONE_PICTURE = QoSProfile(depth=1)
Take = Callable[[bytes, float], None]


class CameraTopic:
    """Used by the thread that serves ROS alone."""

    def __init__(self, node: Node, topic: str, group: CallbackGroup) -> None:
        self._node, self._topic, self._group = node, topic, group
        self._awaiting: list[Take] = []
        self._subscription: Subscription | None = None
        self._used_at = 0.0

    def next_picture(self, take: Take) -> None:
        """Has the next picture that comes taken, with its ROS time in s."""
        self._awaiting.append(take)
        self._used_at = time.monotonic()
        if self._subscription is None:
            self._subscription = self._node.create_subscription(
                CompressedImage,
                self._topic,
                self._on_image,
                ONE_PICTURE,
                callback_group=self._group,
            )

    @property
    def in_use(self) -> bool:
        """Whether somebody looks, or has done so lately."""
        return bool(self._awaiting) or time.monotonic() - self._used_at <= KEPT_S

    def rest(self) -> None:
        """Stops listening if it is not in use."""
        if self._subscription is not None and not self.in_use:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def _on_image(self, message: CompressedImage) -> None:
        awaiting, self._awaiting = self._awaiting, []
        if awaiting:
            data, stamp_s = bytes(message.data), seconds_from_ros(message.header.stamp)
            for take in awaiting:
                take(data, stamp_s)
