"""A viewer in a process of its own: subscribes to the topics it is given and throws away."""

from __future__ import annotations

import sys

from py_trees_ros_interfaces.msg import BehaviourTree
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from rover_common.process.process_end import watch_lifeline


def main(topics: list[str]) -> None:
    """Listens until its parent ends."""
    rclpy.init()
    node = rclpy.create_node('snapshot_viewer')
    latched = QoSProfile(
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )
    for topic in topics:
        node.create_subscription(BehaviourTree, topic, lambda _raw: None, latched, raw=True)
    watch_lifeline(rclpy.try_shutdown)
    rclpy.spin(node)


if __name__ == '__main__':
    main(sys.argv[1:])
