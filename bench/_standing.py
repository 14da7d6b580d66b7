"""Prints when a rover begins to drive and when it stands, by its odometry, on its own host.

Each line: `drives` or `stands`, and the steady time, which all network namespaces share.
Arguments: the rover's ROS namespace.
"""

from __future__ import annotations

from contextlib import suppress
import os
import sys
import time

from nav_msgs.msg import Odometry
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from rover_common.ros.entering_ros import choose_transport

STILL_M_S = 0.01


def main(space: str) -> None:
    """Watches until the process is ended."""
    choose_transport(os.environ)
    rclpy.init()
    node = Node('standing', namespace=space)
    drives = False

    def take(message: Odometry) -> None:
        nonlocal drives
        twist = message.twist.twist.linear
        before, drives = drives, (twist.x**2 + twist.y**2) ** 0.5 >= STILL_M_S
        if drives is not before:
            print('drives' if drives else 'stands', time.monotonic(), flush=True)

    node.create_subscription(Odometry, 'model/curiosity_mars_rover/odometry', take, 10)
    with suppress(ExternalShutdownException):
        rclpy.spin(node)


if __name__ == '__main__':
    main(sys.argv[1])
