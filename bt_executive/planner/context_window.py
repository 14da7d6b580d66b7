"""Fits the steps of a goal into the model's context window: token estimate and summary.

Old results are first shortened to numbers and short texts; if that is not enough, the oldest steps
become lines of a summary without another model call, which has every refusal. The latest steps
stay as they are, unless the window is too small. A call is never separated from its result:
providers refuse such a conversation.

No tokenizer is loaded: each model has its own. The estimate is above the count of the byte-pair
vocabularies in use, so that a request that fits by it fits the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
import json
from math import ceil
import re
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.planner.model_message_reading import plain_name
from bt_executive.planner.prompt_toolset_and_result_text import REASON, compact_json, format_result
from rover_common.json_values import finite_number
from rover_common.text_sanitizing import sanitize_line

LATEST_STEPS = 4  # that are not shortened
SUMMARY_LIMIT = 2000  # characters of the summary of the oldest steps
NOTHING = -1  # a limit that every step exceeds
_LINE_LIMIT = 120
_WORDS_LIMIT = 60  # characters of a text inside a shortened result
_REFUSAL_LIMIT = 200  # characters of a refusal, with its call
EARLIER_STEPS = 'Earlier steps of this goal, in short (data, oldest first):'


def as_messages(history: Iterable[tuple[Proposal, ToolResult]]) -> Iterator[BaseMessage]:
    """Yield the calls and results of an earlier run of the goal as messages."""
    for number, (proposal, result) in enumerate(history, start=1):
        call_id = f'earlier-{number}'
        call = {'name': plain_name(proposal.tool), 'args': dict(proposal.arguments), 'id': call_id}
        yield AIMessage(proposal.thought, tool_calls=[call])
        yield ToolMessage(format_result(result), tool_call_id=call_id)


def bounded(
    messages: Sequence[BaseMessage],
    limit: int,
    latest: int = LATEST_STEPS,
    summary: int = SUMMARY_LIMIT,
) -> list[BaseMessage]:
    """Return the conversation within about `limit` characters: its head and its steps.

    The `latest` steps stay as they are. The summary of the dropped ones has about `summary`
    characters, and every refusal at any length.
    """
    start = _start(messages)
    head, steps = list(messages[:start]), _steps(messages[start:])
    if _size(steps) <= limit:
        return list(messages)
    first = len(steps) - latest
    steps = [step if at >= first else _shortened(step) for at, step in enumerate(steps)]
    dropped: list[list[BaseMessage]] = []
    while _size(steps) > limit and len(steps) > latest:
        dropped.append(steps.pop(0))
    if dropped:
        head[0] = SystemMessage(f'{head[0].content}\n{_summary(dropped, summary)}')
    return head + list(chain.from_iterable(steps))


def fit_history(
    messages: Sequence[BaseMessage],
    fits: Callable[[Sequence[BaseMessage]], bool],
    limit: int,
    latest: int = LATEST_STEPS,
) -> list[BaseMessage]:
    """Return the conversation within `limit` characters, with as many of its steps as fit.

    If nothing fits, the latest step and a summary, for the model's server to decide: tokens are
    overestimated.
    """
    limit = min(limit, size_of_steps(messages))
    bounds = [
        (limit // divisor, count, SUMMARY_LIMIT)
        for count in sorted({latest, 1, 0}, reverse=True)
        for divisor in (1, 2, 4, 8)
    ]
    bounds += [(NOTHING, 0, summary) for summary in (SUMMARY_LIMIT, SUMMARY_LIMIT // 4, 0)]
    candidates = (bounded(messages, *each) for each in bounds)
    return next(filter(fits, candidates), None) or bounded(messages, limit // 8, 1)


def size_of_steps(messages: Sequence[BaseMessage]) -> int:
    """Return the characters of the conversation after its head."""
    return _size(_steps(messages[_start(messages) :]))


def _start(messages: Sequence[BaseMessage]) -> int:
    """Return the index of the first step."""
    steps = (at for at, each in enumerate(messages) if isinstance(each, AIMessage))
    return next(steps, len(messages))


def _steps(messages: Sequence[BaseMessage]) -> list[list[BaseMessage]]:
    """Return the steps: each message of the model with the results that follow it."""
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
    return (
        compact_json(_short_values(value, depth=2))
        if isinstance(value, dict)
        else text[:_LINE_LIMIT]
    )


def _short_values(value: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """Return numbers and short texts down to a depth, without lists."""
    values: dict[str, Any] = {}
    for key, each in value.items():
        if isinstance(each, Mapping):
            if depth:
                values[key] = _short_values(each, depth - 1)
        elif isinstance(each, bool) or each is None:
            values[key] = each
        elif isinstance(each, str):
            values[key] = sanitize_line(each, _REFUSAL_LIMIT if key == REASON else _WORDS_LIMIT)
        elif (number := finite_number(each)) is not None:
            values[key] = float(f'{number:.4g}')
    return values


def _summary(steps: Sequence[Sequence[BaseMessage]], limit: int) -> str:
    """Return lines of steps, oldest first: each different refusal, and the latest others."""
    lines = [line for step in steps for line in _lines(step)]
    times = Counter(line for line, refused in lines if refused)
    room, dropped = limit - len(EARLIER_STEPS) - sum(len(each) + 8 for each in times), 0
    kept: list[str] = []
    for line, refused in reversed(lines):
        if refused:
            if count := times.pop(line, 0):
                kept.append(f'{line} ({count} times)' if count > 1 else line)
            continue
        room -= len(line) + 3
        if room < 0:
            dropped += 1
        else:
            kept.append(line)
    if dropped:
        kept.append(f'({dropped} steps before these, or between them)')
    return '\n- '.join([EARLIER_STEPS, *reversed(kept)])


def _lines(step: Sequence[BaseMessage]) -> Iterator[tuple[str, bool]]:
    """Yield each call with its result in a line, and whether it was refused."""
    results = {
        each.tool_call_id: str(each.content) for each in step if isinstance(each, ToolMessage)
    }
    for message in step:
        for call in message.tool_calls if isinstance(message, AIMessage) else []:
            arguments = compact_json(call['args']) if call['args'] else ''
            result = results.get(str(call['id']), '')
            text, reason = f'{call["name"]}{arguments}: ', _refusal_in(result)
            if reason is None:
                yield sanitize_line(text + result, _LINE_LIMIT), False
            else:
                text = sanitize_line(text, _LINE_LIMIT)
                yield f'{text} {sanitize_line(reason, _REFUSAL_LIMIT)}', True


def _refusal_in(result: str) -> str | None:
    """Return the reason of a result that is not ok; None if it is, or cannot be read."""
    try:
        value = json.loads(result)
    except ValueError:
        return None
    if not isinstance(value, dict) or value.get('ok') is not False:
        return None
    return str(value.get(REASON) or 'refused')


# Least characters per token of a run, measured with the small vocabulary of SmolLM2.
WORD, CAPITALS, NO_WORD, SIGNS = 4, 2, 1.5, 2
LONGEST_WORD = 20  # letters; a longer one is an id or noise
MARGIN = 1.1
_RUNS = re.compile(r'[A-Z]{2,}|[A-Za-z]+|[!-/:-@\[-`{-~]+|[^A-Za-z!-~ ]+|[0-9]+')
MESSAGE_TOKENS = 8  # of the template around each message
LARGEST_ANSWER = 4  # at most a fourth of the window is reserved for the answer


def tokens_of(text: str) -> int:
    """Return an upper estimate of the tokens of a text; a blank belongs to the next word."""
    return ceil(MARGIN * sum(map(_tokens_of_run, _RUNS.findall(text))))


def _tokens_of_run(run: str) -> int:
    """Return the tokens of a run of one kind of character; digits and other scripts by byte."""
    if not run.isascii() or run[0].isspace() or run[0].isdigit():
        return len(run.encode(errors='replace'))
    if not run.isalpha():
        return ceil(len(run) / SIGNS)
    long = len(run) > LONGEST_WORD
    return ceil(len(run) / (NO_WORD if long else CAPITALS if run.isupper() else WORD))


def tokens_of_messages(messages: Sequence[BaseMessage]) -> int:
    """Return an upper estimate of the tokens of a conversation."""
    return sum(
        MESSAGE_TOKENS + tokens_of(str(each.content)) + _tokens_of_calls(each) for each in messages
    )


def room_for_request(window: int, answer: int) -> int:
    """Return the tokens of a window that are left for the request."""
    return window - min(answer, window // LARGEST_ANSWER)


def _tokens_of_calls(message: BaseMessage) -> int:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return sum(tokens_of(compact_json(dict(call))) for call in calls)
