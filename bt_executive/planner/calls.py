"""Reads what a model said: the tool calls in its message, or its last words.

Whatever stands in a message, reading it does not fail: a call whose arguments cannot be used is a
call with a refusal, and a missing, repeated or strange id is replaced. The message for the history
is made anew from what was read, because providers refuse a conversation in which they find their
model's own malformed calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import itertools
import re
from typing import cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from bt_executive.core.ports import Proposal, ToolResult
from bt_executive.planner.arguments import Arguments, read_arguments
from rover_common.llm.message_text import answer_of, is_refusal, reasoning_of, text_of
from rover_common.llm.sanitize import sanitize_line, without_controls

THOUGHT_LIMIT = 2000  # characters of the words beside a call; longer ones are cut
ANSWER_LIMIT = 8000  # characters of an answer
NAME_LIMIT = 64  # characters of a tool's name, the limit of OpenAI
CALLS_LIMIT = 32  # calls of a message that are looked at
ONE_AT_A_TIME = 'Only the first tool call of a message is carried out: call tools one at a time.'
REFUSED = 'The model refused, without a reason.'
_PLAIN = re.compile(r'[A-Za-z0-9_-]{1,64}')


@dataclass(frozen=True)
class Call:
    """One tool call of a message. With a refusal it is answered at once and never proposed."""

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
    """Reads the messages of one run in order, so that every call of the run has its own id."""

    def __init__(self) -> None:
        self._ids: set[str] = set()

    def read(self, message: BaseMessage) -> ModelMessage:
        """Takes a message apart; the message in the result is the one for the history."""
        words = without_controls(text_of(message))
        thought = (words.strip() or without_controls(reasoning_of(message)).strip())[
            :THOUGHT_LIMIT
        ]
        calls = [
            self._call(number, *parts, thought)
            for number, parts in enumerate(list(_calls_in(message))[:CALLS_LIMIT])
        ]
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
        return ModelMessage(kept, tuple(calls), answer, refused)

    def _call(
        self, number: int, name: str, call_id: str, arguments: Arguments, thought: str
    ) -> Call:
        name = sanitize_line(name, NAME_LIMIT)
        proposal = Proposal(self._fresh(call_id), name, arguments.values, thought)
        if arguments.fault:
            reason = f'The arguments of {name or "a tool"} {arguments.fault}'
            return Call(proposal, ToolResult(False, reason))
        return Call(proposal, ToolResult(False, ONE_AT_A_TIME) if number else None)

    def _fresh(self, call_id: str) -> str:
        if call_id in self._ids or not _PLAIN.fullmatch(call_id):
            made = (f'call-{number}-again' for number in itertools.count(len(self._ids) + 1))
            call_id = next(each for each in made if each not in self._ids)
        self._ids.add(call_id)
        return call_id


def whole_message(chunks: list[AIMessageChunk]) -> AIMessage:
    """A streamed message put together, with the arguments of its calls as the model wrote them.

    langchain completes half-written arguments by guessing the rest; half a number is another one.
    """
    whole = cast(AIMessageChunk, chunks[0] + chunks[1:])
    return AIMessage(
        content=whole.content,
        additional_kwargs=whole.additional_kwargs,
        response_metadata=whole.response_metadata,
        usage_metadata=whole.usage_metadata,
        invalid_tool_calls=[
            {
                'type': 'invalid_tool_call',
                'name': call['name'],
                'args': call['args'],
                'id': call['id'],
                'error': None,
            }
            for call in whole.tool_call_chunks
        ],
    )


def plain_name(name: str) -> str:
    """A tool's name with no other characters than providers take in a conversation."""
    return re.sub(r'[^A-Za-z0-9_-]', '_', name)[:NAME_LIMIT] or 'nameless'


def _calls_in(message: BaseMessage) -> Iterator[tuple[str, str, Arguments]]:
    """Name, id and arguments of each call, in the order in which it can be read."""
    if isinstance(message, AIMessage):
        for call in (*message.tool_calls, *message.invalid_tool_calls):
            yield call['name'] or '', str(call['id'] or ''), read_arguments(call['args'])
