"""REQUEST_QUEUE: the QoS of services and actions that many may call at the same moment.

The middleware keeps the last 10 requests by default, and drops the rest without a word to either
side while the server's thread is busy: of 20 goals or cancellations that were sent together, 10
were never seen.
"""

from __future__ import annotations

from typing import Any

from rclpy.qos import QoSProfile

DEPTH = 1000  # requests that wait for the server's thread, and answers for a client's
REQUEST_QUEUE = QoSProfile(depth=DEPTH)


def action_qos() -> dict[str, Any]:
    """The same for the three services of an action's server or client, as keyword arguments."""
    return dict.fromkeys(
        (f'{service}_service_qos_profile' for service in ('goal', 'cancel', 'result')),
        REQUEST_QUEUE,
    )
