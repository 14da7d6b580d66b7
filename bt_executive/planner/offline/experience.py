"""What a conversation tells: the goal, and every tool call with what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
import json
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage


@dataclass(frozen=True)
class Step:
    """One tool call of the model and its result."""

    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    reason: str = ''
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Experience:
    """The latest goal and the steps taken for it, oldest first."""

    goal: str
    steps: tuple[Step, ...]


def recall(messages: Sequence[BaseMessage]) -> Experience:
    """Reads a conversation; results without a call and calls without a result are left out."""
    goal = ''
    calls: dict[str | None, ToolCall] = {}
    steps: list[Step] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            goal, calls, steps = str(message.content), {}, []
        elif isinstance(message, AIMessage):
            calls.update({call['id']: call for call in message.tool_calls})
        elif isinstance(message, ToolMessage) and message.tool_call_id in calls:
            call = calls.pop(message.tool_call_id)
            steps.append(_step(call['name'], call['args'], str(message.content)))
    return Experience(goal, tuple(steps))


def _step(tool: str, arguments: Mapping[str, Any], content: str) -> Step:
    try:
        result = json.loads(content)
    except ValueError:
        result = None
    if not isinstance(result, dict) or 'ok' not in result:
        return Step(tool, arguments, False, content)
    data = result.get('data')
    return Step(
        tool,
        arguments,
        result['ok'] is True,
        str(result.get('error_reason', '')),
        data if isinstance(data, dict) else {},
    )
