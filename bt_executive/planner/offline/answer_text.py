"""What the result of a task says, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search, Task
from bt_executive.planner.offline.transcript import PastStep
from rover_common.finite_number import finite_number

MOST_FACTS = 12
MOST_OF_A_THING, MOST_LISTED = 150, 500  # characters of one of several things, of all
_UNITS = {'pct': '%', 's': 's', 'm': 'm', 'rad': 'rad', 'deg': 'deg'}
_UNTOLD = frozenset({'topic', 'stamp', 'life', 'rgb', 'on', 'legible'})  # fields for machines


def reply(task: Task, step: PastStep, topics: Collection[str] = ()) -> str | None:
    """Return a task that is done, and what its result says; None if that is not what was asked.

    Args:
        task: What was done.
        step: Its call and result.
        topics: The fields of the result that may be asked for at all.
    """
    answer = step.data.get('answer')
    if isinstance(task, PlannedCommand) and isinstance(answer, str) and answer:
        return answer  # a tool that answers in words
    facts = _facts(task, dict(_flat(step.data, nested=isinstance(task, Search))), topics)
    if facts is None:
        return None
    reason = step.data.get('reason')
    if not isinstance(task, Search) and isinstance(reason, str) and reason:
        return f'{task.tool}: {_value(reason).rstrip(".")}'  # a sentence
    told = ', '.join(_fact(*each) for each in list(facts.items())[:MOST_FACTS])
    if isinstance(task, Search):
        return told or 'nothing else'
    called = call_in_words(task.tool, task.arguments)
    return f'{called}: {told}' if told else called


def call_in_words(tool: str, arguments: Mapping[str, Any]) -> str:
    """Such as `move_forward (duration_s 8)`."""
    told = ', '.join(f'{name} {_value(each)}' for name, each in arguments.items())
    return f'{tool} ({told})' if told else tool


def _facts(task: Task, facts: dict[str, Any], topics: Collection[str]) -> dict[str, Any] | None:
    """Return the fields that belong into the answer; None if what was asked is not among them."""
    if isinstance(task, Search):  # its score is told already
        return {key: each for key, each in facts.items() if key not in ('score', 'is_good')}
    if not isinstance(task, Question):
        return facts
    if not task.about:
        return {key: each for key, each in facts.items() if _is_told(key, each, topics)} or facts
    return {key: each for key, each in facts.items() if _is_about(key, task.about)} or None


def _is_told(key: str, value: Any, topics: Collection[str]) -> bool:
    """Whether a field tells how the robot is: by its name, or as a word about one of its parts."""
    return _is_about(key, topics) or ('_' not in key and isinstance(value, str))


def _is_about(key: str, topics: Collection[str]) -> bool:
    """Whether a field is one of these, or one of these is a word of its name."""
    return not {key, *key.lower().split('_')}.isdisjoint(topics)


def _flat(data: Mapping[str, Any], nested: bool) -> Iterator[tuple[str, Any]]:
    for key, each in data.items():
        if isinstance(each, Mapping):
            yield from _flat(each, nested) if nested else ()
        elif each not in (None, '') and key.split('_')[-1] not in _UNTOLD:
            yield key, each


def _fact(key: str, value: Any) -> str:
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
        return ' '.join(_fact(*each) for each in _flat(value, nested=False))[:MOST_OF_A_THING]
    if isinstance(value, (list, tuple)):
        things = any(isinstance(each, Mapping) for each in value)
        return ('; ' if things else ' ').join(map(_listed, value))[:MOST_LISTED]
    as_number = finite_number(value)
    if as_number is None:
        return f'{value!s:.300}'
    return f'{as_number:.4g}' if abs(as_number) < 1000 else f'{round(as_number, 3):.12g}'
