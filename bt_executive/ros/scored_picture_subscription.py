"""Subscribes to the scored pictures for the run folder, while a goal is under way.

A camera renders while it has a subscriber, so at rest it has none.
"""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CompressedImage

from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.polled_and_on_demand_subscriptions import SubscriptionOnDemand
from rover_common.ros.timers import STEADY

POLL_PERIOD_S = 1.0  # steady; how often the need for scored pictures is looked at
LINGER_S = 5.0  # how long after a goal: its last picture may be late


class ScoredPictures:
    """Subscribes to the scored pictures while a goal is under way. Used in the executor's thread.

    `receive` is called with the ROS time in s and the bytes of each picture.
    """

    def __init__(
        self,
        node: Node,
        topic: str,
        receive: Callable[[float, bytes], object],
        is_under_way: Callable[[], bool],
    ) -> None:
        self._receive, self._is_under_way = receive, is_under_way
        self._pictures = SubscriptionOnDemand(
            node, CompressedImage, topic, self._on_picture, qos_profile_sensor_data, LINGER_S
        )
        self._timer = node.create_timer(POLL_PERIOD_S, self._update, clock=STEADY, autostart=False)
        if is_under_way():  # one that is resumed
            self.begin()

    def begin(self) -> None:
        """Starts the subscription, for a goal that was accepted."""
        self._pictures.subscribe()
        if self._timer.is_canceled():
            self._timer.reset()

    def _update(self) -> None:
        if self._is_under_way():
            self._pictures.request()
        self._pictures.update()
        if self._pictures.subscribed_at is None:
            self._timer.cancel()

    def _on_picture(self, message: CompressedImage) -> None:
        self._receive(seconds_from_ros(message.header.stamp), bytes(message.data))
