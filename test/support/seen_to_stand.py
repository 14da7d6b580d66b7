"""Waits until the adapter of a system has measured that its rover stands."""

from __future__ import annotations

from bt_executive_interfaces.msg import AdapterStatus
from rclpy.node import Node
from status_messages import facts_of
from waiting import wait_until

from rover_common.ros.qos import LATCHED


def wait_until_seen_to_stand(node: Node) -> None:
    """Waits for a status with a place, at rest; the node is spun elsewhere.

    Before the first pose nothing shows that the rover moves, and right after it nothing that it
    stands: on a busy machine that moment may come seconds after the start, and what is asked for
    in it is refused.
    """
    latest: list[AdapterStatus] = []
    subscription = node.create_subscription(
        AdapterStatus, 'adapter/status', lambda status: latest.append(status), LATCHED
    )

    def stands() -> bool:
        facts = facts_of(latest[-1]) if latest else {}
        return facts.get('rover_x') is not None and facts['at_rest'] is True

    wait_until(stands, 'the rover is seen to stand')
    node.destroy_subscription(subscription)
