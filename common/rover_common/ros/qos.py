"""QoS: of topics whose latest message holds, of what others offer, of services that many call.

LATCHED: whoever comes late gets it, too. REPEATED: for who listens all the time to what is told
again and again. A reliable reader waits until a message that was lost has been sent again, and
gives out nothing newer meanwhile (docs/decisions/0064-what-is-repeated-is-not-reliable.md).

The middleware keeps the last 10 requests by default, and drops the rest without a word to either
side while the server's thread is busy: of 20 goals or cancellations that were sent together, 10
were never seen.
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
    """What every publisher of the topic offers, so that a latched message comes, too."""
    offered = [each.qos_profile for each in node.get_publishers_info_by_topic(topic)]
    reliable = all(each.reliability == ReliabilityPolicy.RELIABLE for each in offered)
    latched = all(each.durability == DurabilityPolicy.TRANSIENT_LOCAL for each in offered)
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def why_incompatible(publisher: QoSProfile, subscription: QoSProfile) -> str:
    """Return why the one does not hear the other, by their QoS; empty: it does."""
    if subscription.reliability == ReliabilityPolicy.RELIABLE != publisher.reliability:
        return 'it is published best effort, and reliable is asked for'
    if subscription.durability == DurabilityPolicy.TRANSIENT_LOCAL != publisher.durability:
        return 'it is published volatile, and transient local is asked for'
    return ''


DEPTH = 1000  # requests that wait for the server's thread, and answers for a client's
REQUEST_QUEUE = QoSProfile(depth=DEPTH)


def action_qos() -> dict[str, Any]:
    """The same for the three services of an action's server or client, as keyword arguments."""
    return dict.fromkeys(
        (f'{service}_service_qos_profile' for service in ('goal', 'cancel', 'result')),
        REQUEST_QUEUE,
    )
