"""The goal and the tool calls with their results, read from a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
import json
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)

from bt_executive.core.goal_outcome import EDITED_TO, INTERRUPTED
from bt_executive.planner.context_window import EARLIER_STEPS


@dataclass(frozen=True)
class PastStep:
    """One tool call of the model and its result; `ok` only if the result says so.

    Attributes:
        edited_to: The arguments with which the operator let it run, if they were changed.
    """

    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    reason: str = ''
    data: Mapping[str, Any] = field(default_factory=dict)
    edited_to: Mapping[str, Any] | None = None

    @property
    def interrupted(self) -> bool:
        """Return whether the tree interrupted it, which the conversation has as text only."""
        return not self.ok and self.reason == INTERRUPTED.error_reason

    @property
    def failed(self) -> bool:
        """Return whether it ended without success, and was not interrupted."""
        return not self.ok and not self.interrupted


@dataclass(frozen=True)
class Transcript:
    """The latest goal and its steps, oldest first; `whole`: none were cut off."""

    goal: str
    steps: tuple[PastStep, ...] = ()
    whole: bool = True


def read_transcript(messages: Sequence[BaseMessage]) -> Transcript:
    """Read a conversation; results without a call and calls without a result are left out."""
    goal, whole = '', True
    calls: dict[str | None, ToolCall] = {}
    steps: list[PastStep] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            goal, calls, steps = str(message.content), {}, []
        elif isinstance(message, SystemMessage):
            whole = EARLIER_STEPS not in str(message.content)
        elif isinstance(message, AIMessage):
            calls.update({call['id']: call for call in message.tool_calls})
        elif isinstance(message, ToolMessage) and message.tool_call_id in calls:
            call = calls.pop(message.tool_call_id)
            steps.append(_step(call['name'], call['args'], str(message.content)))
    return Transcript(goal, tuple(steps), whole)


def _step(tool: str, arguments: Mapping[str, Any], content: str) -> PastStep:
    try:
        result = json.loads(content)
    except (ValueError, RecursionError):
        result = None
    if not isinstance(result, dict) or 'ok' not in result:
        return PastStep(tool, arguments, False, content)
    data = result.get('data') or {}
    data = dict(data) if isinstance(data, dict) else {'result': data}  # truncated text
    edited_to = result.get(EDITED_TO)
    return PastStep(
        tool,
        arguments,
        result['ok'] is True,
        str(result.get('error_reason', '')),
        data,
        edited_to if isinstance(edited_to, dict) else None,
    )
