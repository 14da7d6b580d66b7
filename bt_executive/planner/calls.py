"""Reads what a model said: the tool calls in its message, or its last words.

Whatever stands in a message, reading it does not fail: a call with malformed, endless or deeply
nested arguments is a call with a refusal, a missing or repeated id is replaced, and characters
that no text may hold are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from bt_executive.planner.quoting import quote_line, without_controls
from bt_executive.ports import Proposal, ToolResult

_REASONING_BLOCKS = ('thinking', 'reasoning')
_TOO_DEEP = '…(nested too deeply)'
THOUGHT_LIMIT = 2000  # characters of the words beside a call; longer ones are cut
ANSWER_LIMIT = 8000  # characters of an answer
NAME_LIMIT = 100  # characters of a tool's name
ARGUMENTS_LIMIT = 8000  # characters of a call's arguments
NESTING_LIMIT = 8  # levels of lists and objects in arguments
LONGEST_INTEGER = 2**63  # beyond it a number is written as text, and no schema takes it
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
        said = without_controls(text_of(message))
        if not isinstance(message, AIMessage):
            return Said(AIMessage(content=said), (), said[:ANSWER_LIMIT])
        message = self._tidy(message, said)
        thought = (said.strip() or without_controls(reasoning_of(message)).strip())[:THOUGHT_LIMIT]
        calls = [
            Call(
                Proposal(str(call['id']), call['name'], call['args'], thought),
                _too_much(call['name'], call['args']),
            )
            for call in message.tool_calls
        ]
        calls += [
            Call(
                Proposal(str(call['id']), _name(call['name']), {}, thought),
                _malformed(_name(call['name']), call['args']),
            )
            for call in message.invalid_tool_calls
        ]
        return Said(message, tuple(_first_only(calls)), said[:ANSWER_LIMIT].strip())

    def _tidy(self, message: AIMessage, said: str) -> AIMessage:
        """The message with unique ids and harmless values, and cut if its words are endless."""
        changes: dict[str, Any] = {
            'tool_calls': [
                {**call, 'name': _name(call['name']), 'args': _harmless(call['args']), 'id': fresh}
                for call in message.tool_calls
                for fresh in [self._fresh(call['id'])]
            ],
            'invalid_tool_calls': [
                {**call, 'id': self._fresh(call['id'])} for call in message.invalid_tool_calls
            ],
        }
        if len(said) > THOUGHT_LIMIT:
            changes['content'] = said[:THOUGHT_LIMIT]
        elif isinstance(message.content, str):
            changes['content'] = said
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


def reasoning_of(message: BaseMessage) -> str:
    """What a model thought before it spoke, whichever way the provider packs it."""
    loose = message.additional_kwargs.get('reasoning_content')
    if isinstance(loose, str):
        return loose
    if isinstance(message.content, str):
        return ''
    blocks = [each for each in message.content if isinstance(each, dict)]
    thoughts = [each for each in blocks if each.get('type') in _REASONING_BLOCKS]
    return ''.join(str(each.get('thinking') or each.get('reasoning') or '') for each in thoughts)


def _name(name: str | None) -> str:
    return quote_line(name or '', NAME_LIMIT)


def _harmless(value: Any, depth: int = 0) -> Any:
    """Arguments that every later reader can take: bounded in depth and numbers, clean text."""
    if depth > NESTING_LIMIT:
        return _TOO_DEEP
    if isinstance(value, str):
        return without_controls(value)
    if isinstance(value, dict):
        return {
            without_controls(str(key)): _harmless(each, depth + 1) for key, each in value.items()
        }
    if isinstance(value, list):
        return [_harmless(each, depth + 1) for each in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LONGEST_INTEGER:
        return f'a number beyond {LONGEST_INTEGER:.0e}'
    return value


def _too_much(tool: str, arguments: Any) -> ToolResult | None:
    text = repr(arguments)
    if _TOO_DEEP in text:
        return ToolResult(False, f'The arguments of {tool} are nested too deeply.')
    if len(text) > ARGUMENTS_LIMIT:
        return ToolResult(False, f'The arguments of {tool} are longer than {ARGUMENTS_LIMIT}.')
    return None


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
