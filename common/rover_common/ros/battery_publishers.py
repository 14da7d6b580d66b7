"""The charge in `sensor_msgs/msg/BatteryState` while several nodes publish it."""

from __future__ import annotations

import math
from typing import Any

from rclpy.node import Node

from rover_common.ros.publishers_and_types_of_topic import several_publishers


class BatteryPublishers:
    """Tracks the charge of one topic.

    A message does not say who sent it. While there are several publishers, such as another robot
    or a recording beside the live one, the lowest charge counts, and the log names them.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node, self._topic = node, topic
        self._latest = math.inf

    def percentage(self, message: Any) -> float:
        """Return the field of this name, or a lower one of before while there are several."""
        percentage: float = message.percentage
        if not 0.0 <= percentage <= 1.0:
            return percentage  # no charge, which `charge_pct` says
        several = several_publishers(self._node, self._topic)
        if several:
            percentage = min(percentage, self._latest)
            self._node.get_logger().warning(
                f'The lowest charge of the battery counts: {several}', throttle_duration_sec=10.0
            )
        self._latest = percentage
        return percentage
