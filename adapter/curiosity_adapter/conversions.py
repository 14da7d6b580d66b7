"""ROS messages as the navigation needs them. Nothing here but attributes of messages is ROS."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from curiosity_adapter.navigation.obstacles import Scan
from curiosity_adapter.navigation.planner import Goal


def scan_from_ros(message: Any) -> Scan:
    """From a sensor_msgs/msg/LaserScan."""
    return Scan(
        message.angle_min,
        message.angle_increment,
        message.range_min,
        message.range_max,
        np.asarray(message.ranges, dtype=np.float64),
    )


def goal_from_ros(goal: Any) -> Goal:
    """From the goal of a bt_executive_interfaces/action/NavigateToPose."""
    free = math.isnan(goal.heading) or goal.heading == goal.ANY_HEADING
    return Goal(goal.x, goal.y, None if free else goal.heading)
