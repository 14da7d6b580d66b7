"""The QoS of topics whose latest message holds.

LATCHED: whoever comes late gets it, too. REPEATED: for who listens all the time to what is told
again and again. A reliable reader waits until a message that was lost has been sent again, and
gives out nothing newer meanwhile (docs/decisions/0064-what-is-repeated-is-not-reliable.md).
"""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

REPEATED = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
