"""The QoS with which to listen to a topic so that nothing its publishers offer is missed."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy


def offered_qos(node: Node, topic: str, depth: int) -> QoSProfile:
    """What every publisher of the topic offers, so that a latched message comes, too."""
    offered = [each.qos_profile for each in node.get_publishers_info_by_topic(topic)]
    reliable = all(each.reliability == ReliabilityPolicy.RELIABLE for each in offered)
    latched = all(each.durability == DurabilityPolicy.TRANSIENT_LOCAL for each in offered)
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )
