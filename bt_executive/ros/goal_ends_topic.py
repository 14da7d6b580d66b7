"""The topic ~/goal_ends: how each goal ended, also those of earlier runs.

The result of ~/execute_goal reaches the client that sent the goal to this process. A goal that
was resumed was sent to another one (docs/decisions/0035-the-end-of-a-resumed-goal.md).
"""

from __future__ import annotations

from collections.abc import Iterable
import json
from typing import Any

from bt_executive_interfaces.msg import GoalEnd
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from bt_executive.core.store_port import ENDS_KEPT, Json
from rover_common.ros.sendable_message import sendable_message

LATEST_ENDS = QoSProfile(
    depth=ENDS_KEPT,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class GoalEnds:
    """Publishes the ends of goals; first those of earlier runs, from their events."""

    def __init__(self, node: Node, earlier: Iterable[Json]) -> None:
        self._publisher = node.create_publisher(GoalEnd, '~/goal_ends', LATEST_ENDS)
        for event in earlier:
            self.publish(event['data']['task_id'], event['data']['goal_ended'])

    def publish(self, task_id: str, summary: dict[str, Any]) -> None:
        """Publishes the end of a goal."""
        self._publisher.publish(
            sendable_message(
                GoalEnd(
                    task_id=task_id,
                    outcome=summary['outcome'],
                    answer=summary['answer'],
                    summary=json.dumps(summary, ensure_ascii=False),
                )
            )
        )
