"""QoS profiles: latched and repeated topics, offered profiles, queues of services.

LATCHED: late subscribers get the latest message, too. REPEATED: for subscribers of what is
published periodically. A reliable reader waits until a lost message has been sent again, and
delivers nothing newer meanwhile (docs/decisions/0064-what-is-repeated-is-not-reliable.md).

The middleware keeps the last 10 requests by default, and silently drops the others while the
server's thread is busy: of 20 goals or cancellations that were sent together, 10 were never
received.
"""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

REPEATED = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


def offered_qos(node: Node, topic: str, depth: int) -> QoSProfile:
    """Return a profile that every publisher of the topic offers; latched if all of them are."""
    offered = [each.qos_profile for each in node.get_publishers_info_by_topic(topic)]
    reliable = all(each.reliability == ReliabilityPolicy.RELIABLE for each in offered)
    latched = all(each.durability == DurabilityPolicy.TRANSIENT_LOCAL for each in offered)
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def why_incompatible(publisher: QoSProfile, subscription: QoSProfile) -> str:
    """Return why two endpoints are incompatible by their QoS; empty: they are compatible."""
    if subscription.reliability == ReliabilityPolicy.RELIABLE != publisher.reliability:
        return 'it is published best effort, and reliable is asked for'
    if subscription.durability == DurabilityPolicy.TRANSIENT_LOCAL != publisher.durability:
        return 'it is published volatile, and transient local is asked for'
    return ''


DEPTH = 1000  # requests that wait for the server's thread, and answers for a client's
REQUEST_QUEUE = QoSProfile(depth=DEPTH)


def action_qos() -> dict[str, Any]:
    """Return the same profile for the three services of an action, as keyword arguments."""
    return dict.fromkeys(
        (f'{service}_service_qos_profile' for service in ('goal', 'cancel', 'result')),
        REQUEST_QUEUE,
    )
