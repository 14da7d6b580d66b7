"""The topics of goals: ~/goal_ends says how each ended, ~/goal_keepalives who is still alive.

The result of ~/execute_goal reaches the client that sent the goal to this process. A goal that
was resumed was sent to another one (docs/decisions/0035-the-end-of-a-resumed-goal.md).

A program that sends goals for somebody else may be killed, suspended or cut off, and can then
cancel nothing. Each message names one goal by its UUID. Goals whose `lease_s` is not 0 need it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
import json
import time
from typing import Any
import uuid

from bt_executive_interfaces.msg import GoalEnd
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from unique_identifier_msgs.msg import UUID

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled
from bt_executive.core.keepalive_leases import KeepaliveWatch
from bt_executive.core.store_port import ENDS_KEPT, Json
from rover_common.clocks import Clocks
from rover_common.ros.sendable_message import sendable_message

STANDSTILL_S = 1.0  # looks that are further apart: this process stood still
DEPTH = 50  # one for each goal that may wait
SILENT = 'No keepalive from the sender of this goal for {:g} s'


class GoalKeepalives:
    """Listens, and cancels the goals of those who have fallen silent.

    Args:
        node: The executive's.
        inbox: Where cancellations go.
        leases: Task id of each goal that has not ended, with its lease in s; called in the
            executor's thread.
    """

    def __init__(
        self, node: Node, inbox: Inbox, leases: Callable[[], Mapping[str, float]]
    ) -> None:
        self._inbox = inbox
        self._leases = leases
        self._clocks = Clocks(time.monotonic, time.monotonic, STANDSTILL_S)
        self._watch = KeepaliveWatch(self._clocks())
        group = MutuallyExclusiveCallbackGroup()
        node.create_subscription(
            UUID, '~/goal_keepalives', self._on_keepalive, DEPTH, callback_group=group
        )

    def _on_keepalive(self, message: UUID) -> None:
        task_id = str(uuid.UUID(bytes=bytes(message.uuid.tolist())))
        self._watch.received(task_id, self._clocks())

    def look(self) -> None:
        """Cancels the goals whose lease is over; to be called twice a second."""
        leases = self._leases()
        for task_id in self._watch.expired(leases, self._clocks()):
            self._inbox.put(GoalCancelled(task_id, SILENT.format(leases[task_id])))


LATEST_ENDS = QoSProfile(
    depth=ENDS_KEPT,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class GoalEnds:
    """Publishes ends of goals, at first those of earlier runs: the events that ended them."""

    def __init__(self, node: Node, earlier: Iterable[Json]) -> None:
        self._publisher = node.create_publisher(GoalEnd, '~/goal_ends', LATEST_ENDS)
        for event in earlier:
            self.publish(event['data']['task_id'], event['data']['goal_ended'])

    def publish(self, task_id: str, summary: dict[str, Any]) -> None:
        """Publishes how a goal ended."""
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
