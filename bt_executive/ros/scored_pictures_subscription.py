"""The scored pictures, for the run folder: subscribed to while a goal is under way.

A camera draws while somebody reads it, so at rest nobody does.
"""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CompressedImage

from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.subscription_on_demand import SubscriptionOnDemand
from rover_common.ros.timers import STEADY

LOOK_S = 1.0  # steady; whether the goal is still under way
KEPT_S = 5.0  # so long after a goal: its last picture may be late


class ScoredPictures:
    """Used in the executor's thread.

    Args:
        node: The executive's.
        topic: Of the scored pictures.
        receive: Is called with each picture's ROS time in s and its bytes.
        is_under_way: Whether there is a goal.
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
            node, CompressedImage, topic, self._came, qos_profile_sensor_data, KEPT_S
        )
        self._looking = node.create_timer(LOOK_S, self._look, clock=STEADY, autostart=False)
        if is_under_way():  # one that is resumed
            self.begin()

    def begin(self) -> None:
        """A goal was accepted."""
        self._pictures.subscribe()
        if self._looking.is_canceled():
            self._looking.reset()

    def _look(self) -> None:
        if self._is_under_way():
            self._pictures.request()
        self._pictures.update()
        if self._pictures.subscribed_at is None:
            self._looking.cancel()

    def _came(self, message: CompressedImage) -> None:
        self._receive(seconds_from_ros(message.header.stamp), bytes(message.data))
