"""The rover's camera: subscribed only while somebody looks, and for a while after."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CompressedImage

from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.subscription_kinds import SubscriptionOnDemand

KEPT_S = 30.0  # subscription after a look
ONE_PICTURE = QoSProfile(depth=1)
Take = Callable[[bytes, float], None]


class CameraTopic:
    """Only used by the thread that serves ROS."""

    def __init__(self, node: Node, topic: str, group: CallbackGroup) -> None:
        self._awaiting: list[Take] = []
        self._images = SubscriptionOnDemand(
            node, CompressedImage, topic, self._on_image, ONE_PICTURE, KEPT_S, group
        )

    def next_picture(self, take: Take) -> None:
        """Call `take` with the next picture and its ROS time in s."""
        self._awaiting.append(take)
        self._images.subscribe()

    @property
    def in_use(self) -> bool:
        """Return whether somebody looks, or has done so recently."""
        return self._images.is_requested

    def rest(self) -> None:
        """Unsubscribe if it is not in use."""
        if self._awaiting:
            self._images.request()
        self._images.update()

    def _on_image(self, message: CompressedImage) -> None:
        awaiting, self._awaiting = self._awaiting, []
        if awaiting:
            data, stamp_s = bytes(message.data), seconds_from_ros(message.header.stamp)
            for take in awaiting:
                take(data, stamp_s)
