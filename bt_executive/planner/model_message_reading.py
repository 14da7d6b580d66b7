"""Parses a message of the model: its tool calls, or its answer.

Parsing never fails: a call whose arguments cannot be used is proposed with its fault, so that the
tree refuses it, and with it the whole message; a missing, repeated or invalid id is replaced. The
message for the history is built from the parsed one, because providers refuse a conversation that
contains malformed calls of their own model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
import itertools
import re
from typing import TYPE_CHECKING

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.planner.call_arguments import Arguments, read_call_arguments
from rover_common.llm.model_message_text import answer_of, is_refusal, reasoning_of, text_of
from rover_common.text_sanitizing import visible, without_controls

if TYPE_CHECKING:  # an executive without a goal has loaded no langchain
    from langchain_core.messages import AIMessage, BaseMessage

THOUGHT_LIMIT = 2000  # characters of the text beside a call
ANSWER_LIMIT = 8000  # characters of an answer
NAME_LIMIT = 64  # characters of a tool's name, the limit of OpenAI
CALLS_LIMIT = 32  # calls of a message
NOT_ALONE = 'Nothing of this message is carried out: the arguments of {} cannot be used.'
ONE_AT_A_TIME = 'Only the first tool call of a message is carried out: call tools one at a time.'
REFUSED = 'The model refused, without a reason.'
_PLAIN = re.compile(r'[A-Za-z0-9_-]{1,64}')


@dataclass(frozen=True)
class Call:
    """One tool call of a message.

    With a refusal it is answered at once and not proposed. A proposal with a fault is proposed, so
    that the tree refuses it, the trace records it, and it counts.
    """

    proposal: Proposal
    refusal: ToolResult | None = None


@dataclass(frozen=True)
class ModelMessage:
    """A message of the model: calls, or else the answer.

    `refused`: the text is no answer, but says why the goal is not pursued.
    """

    message: AIMessage
    calls: tuple[Call, ...]
    text: str
    refused: bool = False


class MessageReader:
    """Parses the messages of one run in order, so that every call of the run has its own id.

    `has_arguments`: by offered tool.
    """

    def __init__(self, has_arguments: Mapping[str, bool] | None = None) -> None:
        self._has_arguments = has_arguments or {}
        self._ids: set[str] = set()

    def read(self, message: BaseMessage) -> ModelMessage:
        """Parse a message; the message in the result is the one for the history."""
        from langchain_core.messages import AIMessage

        text = without_controls(text_of(message))
        thought = (text.strip() or without_controls(reasoning_of(message)).strip())[:THOUGHT_LIMIT]
        proposals = [
            self._proposal(*parts, thought) for parts in list(_calls_in(message))[:CALLS_LIMIT]
        ]
        calls = _with_refusals(proposals)
        tool_calls = [
            {
                'name': plain_name(call.proposal.tool),
                'args': dict(call.proposal.arguments),
                'id': call.proposal.call_id,
            }
            for call in calls
        ]
        cleaned = AIMessage(text[:THOUGHT_LIMIT], tool_calls=tool_calls)
        answer = without_controls(answer_of(message)).strip()[:ANSWER_LIMIT].strip()
        refused = is_refusal(message)
        answer = answer or REFUSED if refused else answer
        return ModelMessage(cleaned, calls, answer, refused)

    def _proposal(self, name: str, call_id: str, raw: object, thought: str) -> Proposal:
        arguments: Arguments = read_call_arguments(raw, self._has_arguments.get(name, False))
        name = _shown_name(name)
        fault = f'The arguments of {name or "a tool"} {arguments.fault}' if arguments.fault else ''
        return Proposal(self._fresh(call_id), name, arguments.values, thought, fault)

    def _fresh(self, call_id: str) -> str:
        if call_id in self._ids or not _PLAIN.fullmatch(call_id):
            ids = (f'call-{number}-again' for number in itertools.count(len(self._ids) + 1))
            call_id = next(each for each in ids if each not in self._ids)
        self._ids.add(call_id)
        return call_id


def plain_name(name: str) -> str:
    """Return a tool's name with only the characters that providers accept."""
    return re.sub(r'[^A-Za-z0-9_-]', '_', name)[:NAME_LIMIT] or 'nameless'


def _with_refusals(proposals: Sequence[Proposal]) -> tuple[Call, ...]:
    """Propose only the first call, or only the first whose arguments cannot be used."""
    at = next((number for number, each in enumerate(proposals) if each.fault), 0)
    fault = proposals[at].fault if proposals else ''
    reason = NOT_ALONE.format(proposals[at].tool or 'a tool') if fault else ONE_AT_A_TIME
    return tuple(
        Call(each, None if number == at else ToolResult(False, reason))
        for number, each in enumerate(proposals)
    )


def _shown_name(name: str) -> str:
    """Return a name with its invisible characters made visible.

    So a name with a zero-width space in it stays the name of no tool.
    """
    shown = visible(name)
    return shown if len(shown) <= NAME_LIMIT else f'{shown[:NAME_LIMIT]} …(cut)'


def _calls_in(message: BaseMessage) -> Iterator[tuple[str, str, object]]:
    """Yield name, id and arguments of each call, valid ones first."""
    from langchain_core.messages import AIMessage

    if isinstance(message, AIMessage):
        for call in (*message.tool_calls, *message.invalid_tool_calls):
            yield call['name'] or '', str(call['id'] or ''), call['args']
