"""What executive and front ends agree on about goals besides the action, and goals' ids.

Validation of a goal's texts: an action server rejects a goal without a reason. So a front end
validates it first, and its user reads the sentence that would otherwise stand in the log only.

~/goal_ends, how each goal ended, also those of earlier runs: the result of ~/execute_goal reaches
the client that sent the goal to this process. A goal that was resumed was sent to another one
(docs/decisions/0035-the-end-of-a-resumed-goal.md).

~/goal_keepalives, whose silence cancels the goals with a lease: a program that sends goals may be
killed, suspended or cut off, and can then cancel nothing. Each message names one goal by its UUID.
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
from rover_common.config.settings import GoalSettings
from rover_common.json_values import read_arguments
from rover_common.ros.message_conversions import sendable_message
from rover_common.text_sanitizing import incoming_text

LATEST_ENDS = QoSProfile(
    depth=ENDS_KEPT,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
STANDSTILL_S = 1.0  # if updates are further apart, this process was suspended
DEPTH = 50  # one for each goal that may wait
SILENT = 'No keepalive from the sender of this goal for {:g} s'


def task_id_of(goal_id: UUID) -> str:
    """Return the task id of a goal of the executive, or of another action."""
    return str(uuid.UUID(bytes=bytes(goal_id.uuid.tolist())))


def goal_id_of(task_id: str) -> UUID:
    """Return the id of the goal with this task id, or hex UUID."""
    return UUID(uuid=list(uuid.UUID(task_id).bytes))


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


class GoalKeepalives:
    """Cancels the goals whose senders have fallen silent.

    `leases` returns the lease in s by task id of the goals that have not ended; it is called in
    the executor's thread.
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
        self._watch.received(task_id_of(message), self._clocks())

    def update(self) -> None:
        """Cancels the goals whose lease has expired; to be called twice a second."""
        leases = self._leases()
        for task_id in self._watch.expired(leases, self._clocks()):
            self._inbox.put(GoalCancelled(task_id, SILENT.format(leases[task_id])))


def goal_rejection(goal: str, tool: str, arguments: str, limits: GoalSettings) -> str:
    """Return why a goal is rejected, as the end of a sentence; empty: it is valid.

    The text of the goal may be empty if there is a tool; invisible characters do not count.
    `arguments`: JSON object for the tool, or empty.
    """
    if not incoming_text(tool) and not incoming_text(goal):
        return 'it has neither words nor a tool'
    for name, text, limit in (
        ('words', goal, limits.max_chars),
        ("tool's name", tool, limits.max_tool_chars),
        ('arguments', arguments, limits.max_arguments_chars),
    ):
        if len(text) > limit:
            return f'its {name}: {len(text)} characters; at most {limit} are taken'
    try:
        goal_arguments(arguments)
    except ValueError as error:
        return f'its arguments are not a JSON object: {error}'
    return ''


def goal_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of a goal's tool.

    Raises:
        ValueError: The text is not a JSON object, or a number in it is not finite.
    """
    return read_arguments(text or '{}')
