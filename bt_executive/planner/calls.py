"""Reads what a model said: the tool calls in its message, or its last words.

Whatever stands in a message, reading it does not fail: a call with malformed arguments is a call
with a refusal, a missing or repeated id is replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from bt_executive.planner.quoting import quote_line
from bt_executive.ports import Proposal, ToolResult

THOUGHT_LIMIT = 2000  # characters of the words beside a call; longer ones are cut
ANSWER_LIMIT = 8000  # characters of an answer
ONE_AT_A_TIME = 'Only the first tool call of a message is carried out: call tools one at a time.'


@dataclass(frozen=True)
class Call:
    """One tool call of a message. With a refusal it is answered at once and never proposed."""

    proposal: Proposal
    refusal: ToolResult | None = None


@dataclass(frozen=True)
class Said:
    """A message of the model: calls, or, when there are none, the final words."""

    message: AIMessage
    calls: tuple[Call, ...]
    text: str


class MessageReader:
    """Reads the messages of one run in order, so that every call of the run has its own id."""

    def __init__(self) -> None:
        self._ids: set[str] = set()

    def read(self, message: BaseMessage) -> Said:
        """Takes a message apart; the message in the result is the one for the history."""
        said = text_of(message)
        if not isinstance(message, AIMessage):
            return Said(AIMessage(content=said), (), said[:ANSWER_LIMIT])
        message = self._tidy(message, said)
        thought = said[:THOUGHT_LIMIT].strip()
        calls = [
            Call(Proposal(str(call['id']), call['name'], call['args'], thought))
            for call in message.tool_calls
        ]
        calls += [
            Call(
                Proposal(str(call['id']), call['name'] or '', {}, thought),
                _malformed(call['name'], call['args']),
            )
            for call in message.invalid_tool_calls
        ]
        return Said(message, tuple(_first_only(calls)), said[:ANSWER_LIMIT].strip())

    def _tidy(self, message: AIMessage, said: str) -> AIMessage:
        """The message with unique ids, and cut if its words are endless."""
        changes: dict[str, Any] = {
            'tool_calls': [{**call, 'id': self._fresh(call['id'])} for call in message.tool_calls],
            'invalid_tool_calls': [
                {**call, 'id': self._fresh(call['id'])} for call in message.invalid_tool_calls
            ],
        }
        if len(said) > THOUGHT_LIMIT:
            changes['content'] = said[:THOUGHT_LIMIT]
        return message.model_copy(update=changes)

    def _fresh(self, call_id: str | None) -> str:
        if not call_id or call_id in self._ids:
            call_id = f'call-{len(self._ids) + 1}-again'
        self._ids.add(call_id)
        return call_id


def text_of(message: BaseMessage) -> str:
    """The words of a message, whichever way the provider packs them."""
    if isinstance(message.content, str):
        return message.content
    blocks = (block if isinstance(block, dict) else {'text': block} for block in message.content)
    return ''.join(str(block.get('text', '')) for block in blocks)


def _first_only(calls: list[Call]) -> list[Call]:
    return [
        call
        if number == 0 or call.refusal
        else Call(call.proposal, ToolResult(False, ONE_AT_A_TIME))
        for number, call in enumerate(calls)
    ]


def _malformed(tool: str | None, arguments: str | None) -> ToolResult:
    return ToolResult(
        False,
        f'The arguments of {tool or "a tool"} are not a JSON object: '
        f'{quote_line(arguments or "", 200)!r}. Call it again with a JSON object.',
    )
