"""Validates a whole message of a model; a fault has a hint for the model."""

from __future__ import annotations

from collections.abc import Collection, Iterator
import re

from langchain_core.messages import AIMessage

from bt_executive.planner.model_message_reading import CALLS_LIMIT
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import (
    announces_calls,
    answer_of,
    ending_of,
    ends_regularly,
    is_cut_off,
    is_refusal,
    reports_ending,
)
from rover_common.text_sanitizing import is_blank

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
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    if calls:
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
    answer = answer_of(message)
    if is_blank(answer):
        raise ModelError(
            'The model ended without a word and without a tool call.',
            hint='Your last message was empty. Call one tool, or answer the goal in words.',
        )
    if is_call_as_text(answer, offered):
        raise ModelError(
            'The model writes tool calls as text instead of calling tools; choose a model that '
            'can call tools.',
            unusable=True,
            hint='You wrote a tool call as text, which does nothing. Call the tool itself.',
        )


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
