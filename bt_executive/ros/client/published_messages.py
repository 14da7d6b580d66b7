"""Reads the messages of executive and adapter: one function for each topic, and `TopicReader`.

Any participant may publish on any topic. What a type cannot express, such as that a text is one
JSON object, is checked here; a function raises `ValueError` with a short reason, and its caller
reports that the message was refused.
"""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any, TypeVar

from bt_executive_interfaces.msg import (
    AdapterStatus,
    ApprovalRequest,
    ApprovalRequests,
    ExecutiveState,
    GoalEnd,
    PlannerWords,
)
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ClientEvent,
    Problem,
    StreamedText,
)
from bt_executive.client.received_json_checks import (
    check_length,
    error_line,
    read_object,
    read_state,
    read_summary,
)
from bt_executive.core.state import BrainState
from rover_common.ros.adapter_status_messages import status_from_ros
from rover_common.ros.message_conversions import seconds_from_ros

LONGEST_PIECE = 100_000  # characters of a piece of the model's output
MOST_REQUESTS = 1000


def state_from_ros(message: ExecutiveState) -> BrainState:
    """Read a message of ~/state.

    Raises:
        ValueError: It is no state that can be shown.
    """
    return read_state(message.state_json)


def requests_from_ros(message: ApprovalRequests) -> list[dict[str, Any]]:
    """Read a message of ~/approvals: the requests that wait, with JSON values.

    Raises:
        ValueError: It cannot be shown.
    """
    if len(message.requests) > MOST_REQUESTS:
        raise ValueError(f'it has {len(message.requests)} requests, more than {MOST_REQUESTS}')
    return [_request(each) for each in message.requests]


def _request(message: ApprovalRequest) -> dict[str, Any]:
    if not message.request_id or not message.tool:
        raise ValueError('request_id and tool must not be empty')
    return {
        'id': message.request_id,
        'task': message.task,
        'tool': message.tool,
        'arguments': read_object(message.arguments, 'arguments'),
        'amounts_to': message.amounts_to,
        'reason': message.reason,
        'risk': message.risk,
        'facts': read_object(message.situation or '{}', 'situation'),
        'created_at': seconds_from_ros(message.created_at),
        'expires_at': seconds_from_ros(message.expires_at),
    }


def streamed_text_from_ros(message: PlannerWords) -> StreamedText:
    """Read a message of ~/planner/words.

    Raises:
        ValueError: It is too long to be shown.
    """
    check_length(message.text, LONGEST_PIECE)
    return StreamedText(message.kind, message.text)


def goal_end_from_ros(message: GoalEnd) -> tuple[str, str, str, dict[str, Any]]:
    """Read a message of ~/goal_ends: the goal's task id, its outcome, the answer, the summary.

    Raises:
        ValueError: It is no end of a goal that can be shown.
    """
    if not message.task_id or not message.outcome:
        raise ValueError('task_id and outcome must not be empty')
    check_length(message.answer)
    return message.task_id, message.outcome, message.answer, read_summary(message.summary)


def adapter_from_ros(message: AdapterStatus, hand: str) -> AdapterStatusReceived:
    """Read a message of the adapter's status.

    `hand`: the sender of this client's setpoints.

    Raises:
        ValueError: A field has no such value.
    """
    status = status_from_ros(message)
    navigation_goal, refused = status.navigation_goal, ''
    # The adapter keeps its latest one, and why it ended, until another one begins.
    if navigation_goal is not None and navigation_goal.sender == hand:
        refused = navigation_goal.motion_reason or navigation_goal.reason
    return AdapterStatusReceived(
        sender=status.sender,
        manual=status.manual_mode is True,
        navigation_goal=navigation_goal.number if navigation_goal else 0,
        refused=refused,
    )


M = TypeVar('M', bound=Any)  # a type of message

QUIET_S = 10.0  # between two reports of refusals on one topic, which may be many


class TopicReader:
    """Subscribes and reports refused messages. Used in the client's thread alone.

    `emit` takes `Problem`.
    """

    def __init__(self, node: Node, emit: Callable[[ClientEvent], None]) -> None:
        self.node = node
        self._emit = emit
        self._reported_at: dict[str, float] = {}

    def subscribe(
        self, kind: type[M], topic: str, handle: Callable[[M], None], qos: QoSProfile | int
    ) -> Subscription:
        """Subscribe; `handle` raises ValueError for a message that cannot be used."""

        def receive(message: M) -> None:
            try:
                handle(message)
            except ValueError as error:
                self.refuse(topic, error)

        return self.node.create_subscription(kind, topic, receive, qos)

    def refuse(self, topic: str, error: Exception) -> None:
        """Reports a refused message, at most every `QUIET_S` for each topic."""
        now = time.monotonic()
        if now - self._reported_at.get(topic, -QUIET_S) >= QUIET_S:
            self._reported_at[topic] = now
            self._emit(Problem(f'A message on {topic} is refused: {error_line(error)}'))
