"""What comes from the graph, read and checked before the console believes a word of it. Pure.

Any participant may publish on any topic. A number that is none, text in the place of a number or
endless brackets must neither end the console nor reach what is shown; each reader raises
`ValueError` with a short reason, and its caller tells that the message is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from bt_executive.client.approvals import read_requests
from bt_executive.client.events import Heard
from bt_executive.core.state import BrainState, state_from_json
from rover_common.json_text import read_json, read_json_object, values_in
from rover_common.trace_event import TraceEvent, event_from_json

LONGEST = 2_000_000  # characters of one message
LONGEST_PIECE = 100_000  # characters of a piece of what the model says
DEEPEST = 100  # brackets within brackets
LONGEST_REASON = 200
USE = ('calls', 'input_tokens', 'output_tokens', 'cost_usd')  # of the model, in a goal's summary
SUMMARY_NUMBERS = ('steps', 'refusals', 'distance_m', 'first_score', 'last_score', 'wall_s')


def read_state(text: str) -> BrainState:
    """A message of ~/state.

    Raises:
        ValueError: It is no state that can be shown.
    """
    _check(text)
    state = state_from_json(text)
    _check_use(state.trace.metrics.get('model'))
    return state


def read_event(text: str) -> TraceEvent:
    """A message of the trace's topic.

    Raises:
        ValueError: It is no event that can be shown.
    """
    _check(text)
    event = event_from_json(text)
    data = event.data or {}
    if not isinstance(data.get('task_id', ''), str):
        raise ValueError('task_id must be a string')
    ended = data.get('goal_ended')
    if isinstance(ended, dict):
        _check_summary(ended)
    return event


def read_waiting(text: str) -> list[dict[str, Any]]:
    """A message of ~/approvals: the requests that wait.

    Raises:
        ValueError: It is no list of requests.
    """
    _check(text)
    return read_requests(text)


def read_words(text: str) -> Heard:
    """A message of ~/planner/words.

    Raises:
        ValueError: It is no piece of what a model says.
    """
    _check(text, LONGEST_PIECE)
    words = read_json_object(text)
    kind, piece = words.get('kind'), words.get('text')
    if not isinstance(kind, str) or not isinstance(piece, str):
        raise ValueError('kind and text must be strings')
    return Heard(kind, piece)


def read_summary(text: str) -> dict[str, Any]:
    """The summary in the result of a goal.

    Raises:
        ValueError: It is none that can be shown.
    """
    _check(text)
    summary = read_json_object(text)
    _check_summary(summary)
    return summary


def read_goal_end(text: str) -> tuple[str, str, str, dict[str, Any]]:
    """A message of ~/goal_ends: the goal's task id, its outcome, the answer, the summary.

    Raises:
        ValueError: It is no end of a goal that can be shown.
    """
    _check(text)
    end = read_json_object(text)
    summary = end.get('summary')
    words = (end.get('task_id'), end.get('outcome'), end.get('answer'))
    if not all(isinstance(word, str) for word in words) or not isinstance(summary, dict):
        raise ValueError('task_id, outcome and answer must be strings, summary an object')
    _check_summary(summary)
    task_id, outcome, answer = map(str, words)
    return task_id, outcome, answer, summary


def why_refused(error: Exception) -> str:
    """What was wrong with a message, in one short line."""
    return ' '.join(str(error).split())[:LONGEST_REASON]


def _check(text: str, longest: int = LONGEST) -> None:
    if len(text) > longest:
        raise ValueError(f'it has {len(text)} characters, more than {longest}')
    for value, depth in values_in(read_json(text)):
        if depth > DEEPEST:
            raise ValueError(f'it is nested more than {DEEPEST} deep')
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError('a number in it is none')


def _check_summary(summary: Mapping[str, Any]) -> None:
    _check_numbers(summary, SUMMARY_NUMBERS)
    _check_use(summary.get('model'))


def _check_use(use: Any) -> None:
    if use is not None and not isinstance(use, Mapping):
        raise ValueError('what the model cost is no object')
    _check_numbers(use or {}, USE)


def _check_numbers(values: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        value = values.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise ValueError(f'{name} is no number')
