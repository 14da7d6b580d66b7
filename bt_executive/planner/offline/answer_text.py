"""The result of a task as text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search, Task
from bt_executive.planner.offline.transcript import PastStep
from rover_common.json_values import finite_number

MOST_FIELDS = 12
MOST_OF_A_THING, MOST_LISTED = 150, 500  # characters of one entry of a list, and of all
_UNITS = {'pct': '%', 's': 's', 'm': 'm', 'rad': 'rad', 'deg': 'deg'}
_MACHINE_FIELDS = frozenset({'topic', 'stamp', 'life', 'rgb', 'on', 'legible'})


def describe_result(task: Task, step: PastStep, topics: Collection[str] = ()) -> str | None:
    """Return a completed task with its result; None: the result does not answer the question.

    Args:
        task: The task.
        step: Its call and result.
        topics: The fields of the result that examples ask for.
    """
    answer = step.data.get('answer')
    if isinstance(task, PlannedCommand) and isinstance(answer, str) and answer:
        return answer  # a tool that answers in free text
    fields = _fields(task, dict(_flat(step.data, nested=isinstance(task, Search))), topics)
    if fields is None:
        return None
    reason = step.data.get('reason')
    if not isinstance(task, Search) and isinstance(reason, str) and reason:
        return f'{task.tool}: {_value(reason).rstrip(".")}'  # a sentence
    text = ', '.join(_field(*each) for each in list(fields.items())[:MOST_FIELDS])
    if isinstance(task, Search):
        return text or 'nothing else'
    call = describe_call(task.tool, task.arguments)
    return f'{call}: {text}' if text else call


def describe_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as text, such as `move_forward (duration_s 8)`."""
    text = ', '.join(f'{name} {_value(each)}' for name, each in arguments.items())
    return f'{tool} ({text})' if text else tool


def _fields(task: Task, fields: dict[str, Any], topics: Collection[str]) -> dict[str, Any] | None:
    """Return the fields for the answer; None: the fields of the question are not among them."""
    if isinstance(task, Search):  # its score is reported separately
        return {key: each for key, each in fields.items() if key not in ('score', 'is_good')}
    if not isinstance(task, Question):
        return fields
    if not task.about:
        return {k: each for k, each in fields.items() if _is_state(k, each, topics)} or fields
    return {key: each for key, each in fields.items() if _is_about(key, task.about)} or None


def _is_state(key: str, value: Any, topics: Collection[str]) -> bool:
    """Return whether a field is about the robot's state: a topic, or a word for a part of it."""
    return _is_about(key, topics) or ('_' not in key and isinstance(value, str))


def _is_about(key: str, topics: Collection[str]) -> bool:
    """Return whether a field is one of these topics, or has one as a word of its name."""
    return not {key, *key.lower().split('_')}.isdisjoint(topics)


def _flat(data: Mapping[str, Any], nested: bool) -> Iterator[tuple[str, Any]]:
    for key, each in data.items():
        if isinstance(each, Mapping):
            yield from _flat(each, nested) if nested else ()
        elif each not in (None, '') and key.split('_')[-1] not in _MACHINE_FIELDS:
            yield key, each


def _field(key: str, value: Any) -> str:
    *words, last = key.split('_')
    if words and last in _UNITS and finite_number(value) is not None:
        return f'{" ".join(words)} {_value(value)} {_UNITS[last]}'
    return f'{" ".join([*words, last])} {_value(value)}'


def _listed(value: Any) -> str:
    return _value(value) if isinstance(value, Mapping) else f'{value!s:.60}'


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    if isinstance(value, Mapping):
        return ' '.join(_field(*each) for each in _flat(value, nested=False))[:MOST_OF_A_THING]
    if isinstance(value, (list, tuple)):
        has_entries = any(isinstance(each, Mapping) for each in value)
        return ('; ' if has_entries else ' ').join(map(_listed, value))[:MOST_LISTED]
    as_number = finite_number(value)
    if as_number is None:
        return f'{value!s:.300}'
    return f'{as_number:.4g}' if abs(as_number) < 1000 else f'{round(as_number, 3):.12g}'
