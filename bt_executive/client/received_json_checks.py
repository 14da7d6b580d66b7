"""Validation of JSON that a front end receives from the graph. Pure.

Any participant may publish on any topic. A number that is not finite, text in the place of a
number or deep nesting must neither end the front end nor be shown: each reader raises
`ValueError` with a short reason, and its caller reports that the message is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from bt_executive.core.state import BrainState, state_from_json
from rover_common.json_text import read_json, read_json_object, values_in
from rover_common.trace_event import TraceEvent, event_from_json

LONGEST = 2_000_000  # characters of one message
DEEPEST = 100  # brackets within brackets
LONGEST_REASON = 200
USAGE = ('calls', 'input_tokens', 'output_tokens', 'cost_usd')  # of the model, in a summary
SUMMARY_NUMBERS = ('steps', 'refusals', 'distance_m', 'first_score', 'last_score', 'wall_s')


def read_state(text: str) -> BrainState:
    """Read the state in a message of ~/state.

    Raises:
        ValueError: It is no valid state.
    """
    _check(text)
    state = state_from_json(text)
    _check_usage(state.trace.metrics.get('model'))
    return state


def read_event(text: str) -> TraceEvent:
    """Read a message of the trace's topic.

    Raises:
        ValueError: It is no valid event.
    """
    _check(text)
    event = event_from_json(text)
    data = event.data or {}
    if not isinstance(data.get('task_id', ''), str):
        raise ValueError('task_id must be a string')
    summary = data.get('goal_ended')
    if isinstance(summary, dict):
        _check_summary(summary)
    return event


def read_summary(text: str) -> dict[str, Any]:
    """Read the summary of a goal that has ended.

    Raises:
        ValueError: It is no valid summary.
    """
    summary = read_object(text, 'summary')
    _check_summary(summary)
    return summary


def read_object(text: str, field: str) -> dict[str, Any]:
    """Read a field of a message that is one JSON object.

    Raises:
        ValueError: It is no valid one; the message names the field.
    """
    try:
        _check(text)
        return read_json_object(text)
    except ValueError as error:
        raise ValueError(f'{field} is not a JSON object that can be shown: {error}') from None


def check_length(text: str, longest: int = LONGEST) -> None:
    """Raise `ValueError` if a text is longer than `longest`."""
    if len(text) > longest:
        raise ValueError(f'it has {len(text)} characters, more than {longest}')


def error_line(error: Exception) -> str:
    """Return the text of an error in one short line."""
    return ' '.join(str(error).split())[:LONGEST_REASON]


def _check(text: str) -> None:
    check_length(text)
    for value, depth in values_in(read_json(text)):
        if depth > DEEPEST:
            raise ValueError(f'it is nested more than {DEEPEST} deep')
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError('a number in it is not finite')


def _check_summary(summary: Mapping[str, Any]) -> None:
    _check_numbers(summary, SUMMARY_NUMBERS)
    _check_usage(summary.get('model'))


def _check_usage(usage: Any) -> None:
    if usage is not None and not isinstance(usage, Mapping):
        raise ValueError('what the model cost is not an object')
    _check_numbers(usage or {}, USAGE)


def _check_numbers(values: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        value = values.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise ValueError(f'{name} is not a number')
