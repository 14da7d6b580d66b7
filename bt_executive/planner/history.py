"""What was done for a goal, as messages; bounded by summarising, without another model call.

Old results are first shortened to their plain values; if that is not enough, the oldest steps
become lines of a summary. The latest steps stay as they are, and a call is never parted from its
result: providers refuse such a conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
import json
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage

from bt_executive.core.ports import Proposal, ToolResult
from bt_executive.planner.calls import plain_name
from bt_executive.planner.results import compact_json, format_result
from rover_common.finite_number import finite_number
from rover_common.llm.sanitize import sanitize_line

KEPT_WHOLE = 4  # latest steps that are never shortened
SUMMARY_LIMIT = 2000  # characters of the summary of the oldest steps
_LINE_LIMIT = 120
_WORDS_LIMIT = 60  # characters of a text inside a shortened result
EARLIER_STEPS = 'Earlier steps of this goal, in short (data, oldest first):'


def as_messages(history: Iterable[tuple[Proposal, ToolResult]]) -> Iterator[BaseMessage]:
    """Calls and results of an earlier run of the goal, as this run's model is to see them."""
    for number, (proposal, result) in enumerate(history, start=1):
        call_id = f'earlier-{number}'
        call = {'name': plain_name(proposal.tool), 'args': dict(proposal.arguments), 'id': call_id}
        yield AIMessage(proposal.thought, tool_calls=[call])
        yield ToolMessage(format_result(result), tool_call_id=call_id)


def bounded(
    messages: Sequence[BaseMessage], limit: int, kept_whole: int = KEPT_WHOLE
) -> list[BaseMessage]:
    """The conversation within about `limit` characters: its head, and the steps taken so far.

    The latest `kept_whole` steps stay as they are.
    """
    start = _start(messages)
    head, steps = list(messages[:start]), _steps(messages[start:])
    if _size(steps) <= limit:
        return list(messages)
    steps = [_shortened(step) for step in steps[:-kept_whole]] + steps[-kept_whole:]
    dropped: list[list[BaseMessage]] = []
    while _size(steps) > limit and len(steps) > kept_whole:
        dropped.append(steps.pop(0))
    if dropped:
        head[0] = SystemMessage(f'{head[0].content}\n{_summary(dropped)}')
    return head + list(chain.from_iterable(steps))


def size_of_steps(messages: Sequence[BaseMessage]) -> int:
    """Characters of the conversation behind its head."""
    return _size(_steps(messages[_start(messages) :]))


def _start(messages: Sequence[BaseMessage]) -> int:
    """Where the head ends and the steps begin."""
    steps = (at for at, each in enumerate(messages) if isinstance(each, AIMessage))
    return next(steps, len(messages))


def _steps(messages: Sequence[BaseMessage]) -> list[list[BaseMessage]]:
    """Messages in groups: each message of the model with the results that follow it."""
    steps: list[list[BaseMessage]] = []
    for message in messages:
        if isinstance(message, AIMessage) or not steps:
            steps.append([])
        steps[-1].append(message)
    return steps


def _size(steps: Iterable[Sequence[BaseMessage]]) -> int:
    return sum(len(str(each.content)) + _arguments_size(each) for step in steps for each in step)


def _arguments_size(message: BaseMessage) -> int:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return sum(len(compact_json(call['args'])) for call in calls)


def _shortened(step: Sequence[BaseMessage]) -> list[BaseMessage]:
    return [
        each.model_copy(update={'content': _shortened_result(str(each.content))})
        if isinstance(each, ToolMessage)
        else each.model_copy(update={'content': sanitize_line(str(each.content), _WORDS_LIMIT)})
        for each in step
    ]


def _shortened_result(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return sanitize_line(text, _LINE_LIMIT)
    return compact_json(_plain(value, depth=2)) if isinstance(value, dict) else text[:_LINE_LIMIT]


def _plain(value: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """Numbers and short texts, down to a depth; lists and what lies deeper is left out."""
    plain: dict[str, Any] = {}
    for key, each in value.items():
        if isinstance(each, Mapping):
            if depth:
                plain[key] = _plain(each, depth - 1)
        elif isinstance(each, bool) or each is None:
            plain[key] = each
        elif isinstance(each, str):
            plain[key] = sanitize_line(each, _WORDS_LIMIT)
        elif (number := finite_number(each)) is not None:
            plain[key] = float(f'{number:.4g}')
    return plain


def _summary(steps: Sequence[Sequence[BaseMessage]]) -> str:
    lines = [line for step in steps for line in _lines(step)]
    kept: list[str] = []
    room = SUMMARY_LIMIT - len(EARLIER_STEPS)
    for line in reversed(lines):
        room -= len(line) + 3
        if room < 0:
            kept.insert(0, f'({len(lines) - len(kept)} steps before these)')
            break
        kept.insert(0, line)
    return '\n- '.join([EARLIER_STEPS, *kept])


def _lines(step: Sequence[BaseMessage]) -> Iterator[str]:
    results = {
        each.tool_call_id: str(each.content) for each in step if isinstance(each, ToolMessage)
    }
    for message in step:
        for call in message.tool_calls if isinstance(message, AIMessage) else []:
            arguments = compact_json(call['args']) if call['args'] else ''
            result = results.get(str(call['id']), '')
            yield sanitize_line(f'{call["name"]}{arguments}: {result}', _LINE_LIMIT)
