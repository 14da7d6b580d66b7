"""Tells the executive that the client is alive, for each of its goals that need it."""

from __future__ import annotations

from collections.abc import Iterable
import uuid

from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from bt_executive.core.keepalive_leases import PERIOD_S
from bt_executive.ros.goal_keepalives import DEPTH


class Keepalive:
    """Used in the client's thread alone."""

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(UUID, 'executive/goal_keepalives', DEPTH)
        self._next = 0.0

    def update(self, now: float, task_ids: Iterable[str]) -> None:
        """To be called again and again, with the goals that have not ended; steady time in s."""
        if now >= self._next:
            self._next = now + PERIOD_S
            for task_id in task_ids:
                self._publisher.publish(UUID(uuid=list(uuid.UUID(task_id).bytes)))
