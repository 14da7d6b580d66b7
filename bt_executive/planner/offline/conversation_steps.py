"""The steps of a conversation: those taken, with the remedies that refusals name, and the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
import json
import re
from typing import Any, TypeAlias

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)

from bt_executive.core.goal_outcome import EDITED_TO, INTERRUPTED, RAN_S
from bt_executive.planner.context_window import EARLIER_STEPS
from bt_executive.planner.offline.offered_tools import Tools
from rover_common.adapter_status import MOVE_IN_PROGRESS


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
    def stopped_by_guard(self) -> bool:
        """Return whether a guard stopped it after it had begun."""
        return not self.ok and RAN_S in self.data

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


@dataclass(frozen=True)
class Act:
    """Call this tool; `why` is a sentence."""

    tool: str
    why: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FinalAnswer:
    """End with this answer: all tasks are done and confirmed."""

    text: str


@dataclass(frozen=True)
class GiveUp:
    """End without having reached the goal."""

    reason: str


Decision: TypeAlias = Act | FinalAnswer | GiveUp


_NEEDS = 'Need to '  # before a command: 'Need to close gripper'
_IS = re.compile(r'(\w[\w ]{0,60}) is (\w{1,20})')  # 'Gripper is open'
_OPPOSITES = {'open': 'close', 'closed': 'open', 'on': 'off', 'off': 'on'}
_REMEDIES = {MOVE_IN_PROGRESS: 'move_stop'}
TRANSIENT = (MOVE_IN_PROGRESS,)  # says nothing about the next call


def remedy_for(reason: str, tools: Tools) -> str | None:
    """Return the offered tool that a refusal asks for, if it requires no argument."""
    words = _command_words(reason)
    if words:
        names = [tool.name for tool in tools.values() if words == tool.words]
        return next((name for name in names if not tools[name].required), None)
    remedy = _REMEDIES.get(reason)
    return remedy if remedy in tools else None


def _command_words(reason: str) -> frozenset[str]:
    """Return the words of the command that a refusal asks for; empty: it asks for none."""
    if reason.startswith(_NEEDS):
        return frozenset(reason[len(_NEEDS) :][:80].lower().split())
    found = _IS.fullmatch(reason)
    opposite = _OPPOSITES.get(found[2].lower(), '') if found else ''
    return frozenset((*found[1].lower().split(), opposite)) if found and opposite else frozenset()


def remedies_of(steps: Sequence[PastStep], tools: Tools) -> dict[str, str]:
    """Return by tool the remedy of its latest refusal."""
    refused = [step for step in steps if step.failed and step.reason not in TRANSIENT]
    return {step.tool: remedy for step in refused if (remedy := remedy_for(step.reason, tools))}
