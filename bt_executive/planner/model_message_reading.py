"""Validates and parses a message of the model: its tool calls with their arguments, or its answer.

A fault of the whole message has a hint for the model. Parsing never fails: a call whose arguments
cannot be used is proposed with its fault, so that the tree refuses it, and with it the whole
message; a missing, repeated or invalid id is replaced. The message for the history is built from
the parsed one, because providers refuse a conversation with malformed calls of their own model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
import itertools
import json
import re
from typing import TYPE_CHECKING, Any

from bt_executive.core.executive_ports import Proposal, ToolResult
from rover_common.json_values import RepeatedNameError, read_arguments, values_in
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import (
    announces_calls,
    answer_of,
    ending_of,
    ends_regularly,
    is_cut_off,
    is_refusal,
    reasoning_of,
    reports_ending,
    text_of,
)
from rover_common.text_sanitizing import is_blank, sanitize_line, visible, without_controls

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

SIZE_LIMIT = 8000  # characters of all arguments of a call
NESTING_LIMIT = 8  # levels of lists and objects
_SHOWN = 200  # characters of malformed arguments that are shown to the model
_EMPTY = ('', 'null')


@dataclass(frozen=True)
class Arguments:
    """Arguments that can be used, or why there are none."""

    values: dict[str, Any] = field(default_factory=dict)
    fault: str = ''  # the rest of a sentence after 'The arguments of …'


def read_call_arguments(raw: object, has_arguments: bool = False) -> Arguments:
    """Parse arguments as a client library returns them: an object, or its text.

    Args:
        raw: The arguments; empty or null are none.
        has_arguments: Whether the tool has arguments. None is then a fault, even if all are
            optional: a call whose arguments were lost looks the same.
    """
    try:
        text = raw.strip() if isinstance(raw, str) else json.dumps(raw)
    except (TypeError, ValueError, RecursionError) as error:
        return Arguments(fault=f'cannot be read: {sanitize_line(str(error), _SHOWN)}.')
    if text in _EMPTY:
        if not has_arguments:
            return Arguments()
        return Arguments(fault='are missing. Send {} to leave all of them out.')
    try:
        values = read_arguments(text)
    except RepeatedNameError as error:
        return Arguments(
            fault=f'are ambiguous: {sanitize_line(str(error), _SHOWN)}. Send it once.'
        )
    except ValueError as error:
        shown, reason = sanitize_line(text, _SHOWN), sanitize_line(str(error), _SHOWN)
        return Arguments(
            fault=f'are not a JSON object: {shown!r} ({reason}). Call it with a JSON object.'
        )
    if any(depth > NESTING_LIMIT for _, depth in values_in(values)):
        return Arguments(fault=f'are nested more than {NESTING_LIMIT} levels deep.')
    if len(text) > SIZE_LIMIT:
        return Arguments(fault=f'are longer than {SIZE_LIMIT} characters.')
    return Arguments(values)


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

    Args:
        has_arguments: By offered tool.
        history: The steps of an earlier run, whose calls keep their ids.
    """

    def __init__(
        self,
        has_arguments: Mapping[str, bool] | None = None,
        history: Iterable[BaseMessage] = (),
    ) -> None:
        self._has_arguments = has_arguments or {}
        self._ids = {call_id for each in history for _, call_id, _ in calls_in(each)}

    def read(self, message: BaseMessage) -> ModelMessage:
        """Parse a message; the message in the result is the one for the history."""
        from langchain_core.messages import AIMessage

        text = without_controls(text_of(message))
        thought = (text.strip() or without_controls(reasoning_of(message)).strip())[:THOUGHT_LIMIT]
        proposals = [self._proposal(*parts, thought) for parts in calls_in(message)[:CALLS_LIMIT]]
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


def calls_in(message: BaseMessage) -> list[tuple[str, str, object]]:
    """Return name, id and arguments of each call, valid ones first."""
    from langchain_core.messages import AIMessage

    if not isinstance(message, AIMessage):
        return []
    calls = (*message.tool_calls, *message.invalid_tool_calls)
    return [(call['name'] or '', str(call['id'] or ''), call['args']) for call in calls]


_LONGEST_SEARCH = 16_000  # characters at the end of a message
# The start of a call in the chat templates of models; no part of an answer.
_MARKER = re.compile(
    r'<\|?(?:tool|function)[_▁]calls?(?:[_▁]begin)?\|?>|<tool_use>|<function=|<invoke name='
    r'|<｜tool[_▁]calls?[_▁]begin｜>|<\|python_tag\|>|\[TOOL_(?:CALLS?|REQUEST)\]|to=functions\.',
    re.IGNORECASE,
)
# In JSON, also in half of it: {"name": "NAME"}, {"function": {"name": "NAME"}}, {"NAME": {}}.
_IN_JSON = re.compile(
    r"""\\?["'](?:name|tool|tool_name|function|action)\\?["']\s*:\s*"""
    r"""\\?["'](?:functions\.)?([\w-]+)\\?["']"""
    r"""|["']([\w-]+)["']\s*:\s*\{"""
)
_ACTION = re.compile(
    r'^[ \t*]*Action[ \t*]*:[ \t*`]*(?:functions\.)?([\w-]+)[ \t*`]*(?:\([^\n]*\))?[ \t`]*'
    r'(?:\s*\Z|\n\s*\**Action Input)',
    re.MULTILINE | re.IGNORECASE,
)
_CODE = re.compile(r"""(?:functions\.)?([\w-]+)\s*\((?:[^()"']|"[^"]*"|'[^']*')*\)""")
_FENCE = re.compile(r'```\w*')
_BETWEEN_CALLS = re.compile(r'[\s;,`\[\]]*')


def is_call_as_text(text: str, offered: Collection[str]) -> bool:
    """Return whether a text contains a call; a tool's name in a sentence is none."""
    text = text[-_LONGEST_SEARCH:]
    return bool(_MARKER.search(text)) or any(name in offered for name in _names_in(text))


def _names_in(text: str) -> Iterator[str]:
    """Yield the names of tools in the place of calls."""
    for found in (*_IN_JSON.finditer(text), *_ACTION.finditer(text)):
        yield from (name for name in found.groups() if name)
    code = _FENCE.sub('', text)
    if not _BETWEEN_CALLS.sub('', _CODE.sub('', code)):
        yield from (found[1] for found in _CODE.finditer(code))


LEGACY_CALL = 'function_call'  # where OpenAI's protocol had its one call before it had several


def validate_response(
    message: AIMessage, offered: Collection[str], reports_endings: bool, streamed: bool
) -> None:
    """Raise a `ModelError` if a message has neither a call nor an answer nor a refusal.

    It has a hint if the fault is the model's.

    Args:
        message: A whole message.
        offered: Names of the tools that the model may call.
        reports_endings: Whether its provider says why a message ended.
        streamed: Whether it was streamed, so that the end may be missing.
    """
    if is_half(message, reports_endings, streamed):
        raise ModelError('The answer of the model broke off half way.', out_of_order=True)
    if calls := calls_in(message):
        _check_calls(message, len(calls), reports_endings)
        return
    if announces_calls(message) or message.additional_kwargs.get(LEGACY_CALL):
        raise ModelError(
            'The model says that it calls a tool, and no call came that can be read.',
            ask_whole=True,
            unusable=True,
            hint='Your last message announced a tool call, but none came. Call the tool again.',
        )
    if is_refusal(message):
        return
    if is_cut_off(message):
        raise _cut_off()
    if is_empty(message):
        raise ModelError(
            'The model ended without a word and without a tool call.',
            hint='Your last message was empty. Call one tool, or answer the goal in words.',
        )
    if is_call_as_text(answer_of(message), offered):
        raise ModelError(
            'The model writes tool calls as text instead of calling tools; choose a model that '
            'can call tools.',
            unusable=True,
            hint='You wrote a tool call as text, which does nothing. Call the tool itself.',
        )


def is_empty(message: BaseMessage) -> bool:
    """Return whether a message that ended by itself has neither a call nor an answer."""
    has_something = bool(calls_in(message)) or is_refusal(message) or is_cut_off(message)
    return not has_something and is_blank(answer_of(message))


def is_half(message: AIMessage, reports_endings: bool, streamed: bool) -> bool:
    """Return whether the end of a message is missing; the arguments are as above."""
    return streamed and reports_endings and not reports_ending(message)


def _check_calls(message: AIMessage, count: int, reports_endings: bool) -> None:
    """Refuse the calls of a message that did not end like one with calls."""
    if is_cut_off(message):
        raise _cut_off()
    is_mixed = is_refusal(message) or bool(message.additional_kwargs.get(LEGACY_CALL))
    if is_mixed or (reports_endings and not ends_regularly(message)):
        ending = 'something else beside it' if is_mixed else ending_of(message) or 'no reason'
        raise ModelError(
            f'The message of the model holds a tool call, but ended with {ending!r:.60}: nothing '
            'of it is carried out.',
            hint=f'Your last message ended with {ending!r:.60} and was not carried out. Call one '
            'tool, or answer the goal in words.',
        )
    check_number_of_calls(count)


def check_number_of_calls(count: int) -> None:
    """Raise a `ModelError` if a message has more than `CALLS_LIMIT` calls."""
    if count > CALLS_LIMIT:
        raise ModelError(
            f'The message of the model holds more than {CALLS_LIMIT} tool calls.',
            hint='Your last message held far too many tool calls. Call one tool at a time.',
        )


def _cut_off() -> ModelError:
    return ModelError(
        'The answer was cut off at planner.max_answer_tokens, which counts reasoning, too: '
        'raise it, or have the model think less.',
        hint='Your last message was too long and was cut off. Call one tool, or answer the '
        'goal in a few words.',
    )
