"""The scored pictures, for the run folder: subscribed to while a goal is under way.

A camera draws while somebody reads it, so at rest nobody does.
"""

from __future__ import annotations

from collections.abc import Callable
import time

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.subscription import Subscription
from sensor_msgs.msg import CompressedImage

from rover_common.ros.conversions import seconds_from_ros

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
        self._node, self._topic, self._receive = node, topic, receive
        self._is_under_way = is_under_way
        self._subscription: Subscription | None = None
        self._wanted_at = 0.0
        self._looking = node.create_timer(
            LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME), autostart=False
        )
        if is_under_way():  # one that is resumed
            self.begin()

    def begin(self) -> None:
        """A goal was accepted."""
        self._wanted_at = time.monotonic()
        if self._subscription is None:
            self._subscription = self._node.create_subscription(
                CompressedImage, self._topic, self._came, qos_profile_sensor_data
            )
            self._looking.reset()

    def _look(self) -> None:
        if self._is_under_way():
            self._wanted_at = time.monotonic()
        elif time.monotonic() - self._wanted_at > KEPT_S and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
            self._looking.cancel()

    def _came(self, message: CompressedImage) -> None:
        self._receive(seconds_from_ros(message.header.stamp), bytes(message.data))
