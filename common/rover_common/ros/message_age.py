"""How old what a message says was when it came."""

from __future__ import annotations

from rclpy.node import Node

from rover_common.message_stamps import age_of


def message_age_s(node: Node, stamp: float) -> float:
    """Return how long ago a measurement was taken, in s, by its stamp and the clock of a node.

    0 without a stamp. Simulated time passes faster or slower than a message travels.
    """
    clock = node.get_clock()
    if clock.ros_time_is_active:
        return 0.0
    return age_of(stamp, float(clock.now().nanoseconds) * 1e-9)
