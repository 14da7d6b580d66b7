"""The guards of robot.yaml: conditions on the state of the robot's parts. Pure.

What is not known is refused, and so is a value of another type than configured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math
from types import MappingProxyType
from typing import Any

from bt_executive.core.guard_verdict import GuardReading, allows, refuses
from bt_executive.core.robot_parts import Parts
from rover_common.config.settings import Bounds, PartCondition, PartType, PartValue
from rover_common.config.settings.state_types_and_guards import ANY, Where
from rover_common.part_value import is_valid_value


def read_condition(
    name: str,
    condition: PartCondition,
    types: Mapping[str, PartType],
    parts: Parts,
    why_unknown: Mapping[str, str] = MappingProxyType({}),
) -> GuardReading:
    """What a condition says of the parts. It refuses while one of its fields is not known.

    `why_unknown`: field → why it is not known, where more than that is known.
    """

    def all_hold(where: Where) -> bool | None:
        return _all(judge(parts.get(each), types[each], wanted) for each, wanted in where.items())

    rules = [all_hold(condition.where)]
    if condition.any_of:
        rules.append(_any(all_hold(group) for group in condition.any_of))
    if condition.but_not:
        excluded = all_hold(condition.but_not)
        rules.append(None if excluded is None else not excluded)
    verdict = _all(rules)
    if verdict is False:
        return refuses(name, condition.reason, _first_refused(condition, types, parts))
    if verdict is None:
        reason = condition.unknown or _unknown(condition, types, parts, why_unknown)
        return refuses(name, reason, passing=True)
    return allows(name, parts.get(next(iter(condition.fields))))


def _first_refused(
    condition: PartCondition, types: Mapping[str, PartType], parts: Parts
) -> PartValue | None:
    """The value of the first field that does not hold, else of the first field."""
    where = condition.where.items()
    refused = (
        each for each, wanted in where if judge(parts.get(each), types[each], wanted) is False
    )
    return parts.get(next(refused, next(iter(condition.fields))))


def _unknown(
    condition: PartCondition, types: Mapping[str, PartType], parts: Parts, why: Mapping[str, str]
) -> str:
    every = (condition.where, *condition.any_of, condition.but_not)
    asked = ((each, wanted) for part in every for each, wanted in part.items())
    field, _ = next(
        pair for pair in asked if judge(parts.get(pair[0]), types[pair[0]], pair[1]) is None
    )
    if field in why:
        return f'{field} is not known: {why[field]}'
    if types[field] == ANY and parts.get(field) is not None:
        return f'{field} is not known: {_in_words(parts[field])} cannot be compared'
    return f'{field} is not known'


def _in_words(value: Any) -> str:
    return f'the text {value!r:.60}' if isinstance(value, str) else f'{value!r:.60}'


def _all(rules: Iterable[bool | None]) -> bool | None:
    """Whether all hold; None: that is not known."""
    found = list(rules)
    return False if False in found else None if None in found else True


def _any(rules: Iterable[bool | None]) -> bool | None:
    found = list(rules)
    return True if True in found else None if None in found else False


def holds(
    where: Mapping[str, tuple[PartValue, ...] | Bounds],
    types: Mapping[str, PartType],
    parts: Parts,
) -> bool:
    """Whether every field is known and what is wanted of it."""
    return all(judge(parts.get(each), types[each], wanted) for each, wanted in where.items())


def judge(
    value: PartValue | None, kind: PartType, wanted: tuple[PartValue, ...] | Bounds
) -> bool | None:
    """Return whether a value is what is wanted; None: it is not known.

    A value of a topic has any type; one that nothing wanted can be compared with is not known.
    """
    if value is None or not is_valid_value(value, kind):
        return None
    if kind == ANY and not any(_kind_of(value) is each for each in _kinds(wanted)):
        return None
    return fits(value, wanted)


def _kinds(wanted: tuple[PartValue, ...] | Bounds) -> set[type]:
    return {float} if isinstance(wanted, Bounds) else {_kind_of(each) for each in wanted}


def _kind_of(value: PartValue) -> type:
    return float if type(value) is int else type(value)


def fits(value: PartValue, wanted: tuple[PartValue, ...] | Bounds) -> bool:
    """Return whether a known value is one of those that are wanted, or within the bounds."""
    if isinstance(wanted, tuple):
        return any(value == each and _kind_of(value) is _kind_of(each) for each in wanted)
    if isinstance(value, (bool, str)):
        return False
    low = -math.inf if wanted.at_least is None else wanted.at_least
    high = math.inf if wanted.at_most is None else wanted.at_most
    return low <= value <= high


def question_of(name: str) -> str:
    """A condition's name as it stands in the tree: `door_closed` is `Door closed?`."""
    return f'{name.replace("_", " ").capitalize()}?'
