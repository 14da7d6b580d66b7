"""Reads what a model said: the tool calls in its message, or its last words.

Whatever stands in a message, reading it does not fail: a call whose arguments cannot be used is
proposed with its fault, for the tree to refuse, and with it the whole message; a missing, repeated
or strange id is replaced. The message for the history is made anew from what was read, because
providers refuse a conversation in which they find their model's own malformed calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
import itertools
import re
from typing import TYPE_CHECKING

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.planner.call_arguments import Arguments, read_call_arguments
from rover_common.incoming_text import visible
from rover_common.llm.model_message_text import answer_of, is_refusal, reasoning_of, text_of
from rover_common.llm.sanitize import without_controls

if TYPE_CHECKING:  # an executive without a goal has loaded no langchain
    from langchain_core.messages import AIMessage, BaseMessage

THOUGHT_LIMIT = 2000  # characters of the words beside a call; longer ones are cut
ANSWER_LIMIT = 8000  # characters of an answer
NAME_LIMIT = 64  # characters of a tool's name, the limit of OpenAI
CALLS_LIMIT = 32  # calls of a message that are looked at
NOT_ALONE = 'Nothing of this message is carried out: the arguments of {} cannot be used.'
ONE_AT_A_TIME = 'Only the first tool call of a message is carried out: call tools one at a time.'
REFUSED = 'The model refused, without a reason.'
_PLAIN = re.compile(r'[A-Za-z0-9_-]{1,64}')


@dataclass(frozen=True)
class Call:
    """One tool call of a message.

    With a refusal it is answered at once and not proposed. A proposal with a fault is proposed, so
    that the tree refuses it, the trace has it, and it counts.
    """

    proposal: Proposal
    refusal: ToolResult | None = None


@dataclass(frozen=True)
class ModelMessage:
    """A message of the model: calls, or, when there are none, the final words.

    `refused`: the words say why the goal is not pursued; they are no answer.
    """

    message: AIMessage
    calls: tuple[Call, ...]
    text: str
    refused: bool = False


class MessageReader:
    """Reads the messages of one run in order, so that every call of the run has its own id.

    `takes_some`: of each tool on offer, whether it has arguments.
    """

    def __init__(self, takes_some: Mapping[str, bool] | None = None) -> None:
        self._takes_some = takes_some or {}
        self._ids: set[str] = set()

    def read(self, message: BaseMessage) -> ModelMessage:
        """Takes a message apart; the message in the result is the one for the history."""
        from langchain_core.messages import AIMessage

        words = without_controls(text_of(message))
        thought = (words.strip() or without_controls(reasoning_of(message)).strip())[
            :THOUGHT_LIMIT
        ]
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
        kept = AIMessage(words[:THOUGHT_LIMIT], tool_calls=tool_calls)
        answer = without_controls(answer_of(message)).strip()[:ANSWER_LIMIT].strip()
        refused = is_refusal(message)
        answer = answer or REFUSED if refused else answer
        return ModelMessage(kept, calls, answer, refused)

    def _proposal(self, name: str, call_id: str, raw: object, thought: str) -> Proposal:
        arguments: Arguments = read_call_arguments(raw, self._takes_some.get(name, False))
        name = _shown_name(name)
        fault = f'The arguments of {name or "a tool"} {arguments.fault}' if arguments.fault else ''
        return Proposal(self._fresh(call_id), name, arguments.values, thought, fault)

    def _fresh(self, call_id: str) -> str:
        if call_id in self._ids or not _PLAIN.fullmatch(call_id):
            made = (f'call-{number}-again' for number in itertools.count(len(self._ids) + 1))
            call_id = next(each for each in made if each not in self._ids)
        self._ids.add(call_id)
        return call_id


def plain_name(name: str) -> str:
    """A tool's name with no other characters than providers take in a conversation."""
    return re.sub(r'[^A-Za-z0-9_-]', '_', name)[:NAME_LIMIT] or 'nameless'


def _with_refusals(proposals: Sequence[Proposal]) -> tuple[Call, ...]:
    """The first call is proposed; if the arguments of one cannot be used, that one alone is."""
    at = next((number for number, each in enumerate(proposals) if each.fault), 0)
    faulty = proposals[at].fault if proposals else ''
    reason = NOT_ALONE.format(proposals[at].tool or 'a tool') if faulty else ONE_AT_A_TIME
    return tuple(
        Call(each, None if number == at else ToolResult(False, reason))
        for number, each in enumerate(proposals)
    )


def _shown_name(name: str) -> str:
    """The name as it is, but for signs that draw nothing: nothing that is shown may hide them.

    So a name with a zero-width space in it is the name of no tool, and stays that of none.
    """
    shown = visible(name)
    return shown if len(shown) <= NAME_LIMIT else f'{shown[:NAME_LIMIT]} …(cut)'


def _calls_in(message: BaseMessage) -> Iterator[tuple[str, str, object]]:
    """Name, id and arguments of each call, in the order in which it can be read."""
    from langchain_core.messages import AIMessage

    if isinstance(message, AIMessage):
        for call in (*message.tool_calls, *message.invalid_tool_calls):
            yield call['name'] or '', str(call['id'] or ''), call['args']
