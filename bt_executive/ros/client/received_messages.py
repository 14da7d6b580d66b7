"""Reads and validates what a front end receives from executive, adapter and recorder.

Any participant may publish on any topic. What a type cannot express is checked here, such as that
a text is one JSON object: a number that is not finite, text in the place of a number or deep
nesting must neither end the front end nor be shown. Each reader raises `ValueError` with a short
reason, and `TopicReader` reports that the message is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
import time
from typing import Any, TypeVar

from bt_executive_interfaces.msg import (
    AdapterStatus,
    ApprovalRequest,
    ApprovalRequests,
    GoalEnd,
    PlannerWords,
)
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ClientEvent,
    Problem,
    PublishedGoalEnd,
    StreamedText,
)
from bt_executive.core.state import BrainState, known_part_from_json
from bt_executive.store.recorded_topics_and_definitions import RECORDING
from rover_common.json_values import read_json, read_json_object, values_in
from rover_common.ros.diagnostics_publisher import QOS, TOPIC, status_name
from rover_common.ros.heartbeat_setpoint_and_status import status_from_ros
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.node_topic_and_enclave_names import RECORDER
from rover_common.trace_event import TraceEvent, event_from_json

LONGEST = 2_000_000  # characters of one message
DEEPEST = 100  # brackets within brackets
LONGEST_REASON = 200  # characters of the sentence why a message is refused
USAGE = ('calls', 'input_tokens', 'output_tokens', 'cost_usd')  # of the model, in a summary
SUMMARY_NUMBERS = ('steps', 'refusals', 'distance_m', 'first_score', 'last_score', 'wall_s')
LONGEST_PIECE = 100_000  # characters of a piece of the model's output
MOST_REQUESTS = 1000
M = TypeVar('M', bound=Any)  # a type of message
QUIET_S = 10.0  # between two reports of refusals on one topic, which may be many
POLL_PERIOD_S = 1.0  # of the search for a recorder, as its diagnostics


def read_state(text: str) -> BrainState:
    """Read the field `state_json` of a message of ~/state.

    Raises:
        ValueError: It is no valid state.
    """
    _check(text)
    state = known_part_from_json(text)
    _check_usage(state.trace.metrics.get('model'))
    return state


def read_event(text: str) -> TraceEvent:
    """Read a message of the trace's topic.

    Raises:
        ValueError: It is no valid event.
    """
    _check(text)
    event = event_from_json(text)
    data = event.data or {}
    if not isinstance(data.get('task_id', ''), str):
        raise ValueError('task_id must be a string')
    summary = data.get('goal_ended')
    if isinstance(summary, dict):
        _check_summary(summary)
    return event


def read_summary(text: str) -> dict[str, Any]:
    """Read the summary of a goal that has ended.

    Raises:
        ValueError: It is no valid summary.
    """
    summary = read_object(text, 'summary')
    _check_summary(summary)
    return summary


def read_object(text: str, field: str) -> dict[str, Any]:
    """Read a field of a message that is one JSON object.

    Raises:
        ValueError: It is no valid one; the message names the field.
    """
    try:
        _check(text)
        return read_json_object(text)
    except ValueError as error:
        raise ValueError(f'{field} is not a JSON object that can be shown: {error}') from None


def check_length(text: str, longest: int = LONGEST) -> None:
    """Raise `ValueError` if a text is longer than `longest`."""
    if len(text) > longest:
        raise ValueError(f'it has {len(text)} characters, more than {longest}')


def error_line(error: Exception) -> str:
    """Return the text of an error in one short line."""
    return ' '.join(str(error).split())[:LONGEST_REASON]


def _check(text: str) -> None:
    check_length(text)
    for value, depth in values_in(read_json(text)):
        if depth > DEEPEST:
            raise ValueError(f'it is nested more than {DEEPEST} deep')
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError('a number in it is not finite')


def _check_summary(summary: Mapping[str, Any]) -> None:
    _check_numbers(summary, SUMMARY_NUMBERS)
    _check_usage(summary.get('model'))


def _check_usage(usage: Any) -> None:
    if usage is not None and not isinstance(usage, Mapping):
        raise ValueError('what the model cost is not an object')
    _check_numbers(usage or {}, USAGE)


def _check_numbers(values: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        value = values.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise ValueError(f'{name} is not a number')


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


def goal_end_from_ros(message: GoalEnd) -> PublishedGoalEnd:
    """Read a message of ~/goal_ends.

    Raises:
        ValueError: It is no end of a goal that can be shown.
    """
    if not message.task_id or not message.outcome:
        raise ValueError('task_id and outcome must not be empty')
    check_length(message.answer)
    summary = read_summary(message.summary)
    return PublishedGoalEnd(message.task_id, message.outcome, message.answer, summary)


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


class RecordingWatch:
    """Follows the diagnostics of the recorder in the node's namespace, once it is in the graph.

    All nodes publish on that topic: without a recorder it is not subscribed to. `emit` takes one
    `Problem` for each fault. Used in the node's thread alone.
    """

    def __init__(self, node: Node, emit: Callable[[ClientEvent], None]) -> None:
        self._node, self._emit = node, emit
        self._poll_at = 0.0  # steady s
        self._listens = False
        self._name = status_name(f'{node.get_namespace()}/{RECORDER}', RECORDING)
        self._reported: str | None = None

    def update(self, now: float) -> None:
        """Looks for the recorder; to be called repeatedly. `now`: steady time in s."""
        if self._listens or now < self._poll_at:
            return
        self._poll_at = now + POLL_PERIOD_S
        recorder = RECORDER, self._node.get_namespace()
        if recorder in self._node.get_node_names_and_namespaces():
            self._listens = True
            self._node.create_subscription(DiagnosticArray, TOPIC, self._on_state, QOS)

    def _on_state(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == self._name:
                fault = status.message if status.level == DiagnosticStatus.ERROR else None
                if fault and fault != self._reported:
                    self._emit(Problem(fault))
                self._reported = fault
