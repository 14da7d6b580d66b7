"""The guards of robot.yaml: conditions on the state of the robot's parts. Pure.

An unknown value is refused, and so is a value of another type than configured.
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
    """Evaluate a condition on the parts. It refuses while one of its fields is unknown.

    `why_unknown`: field → why it is unknown, where there is a reason.
    """

    def all_hold(where: Where) -> bool | None:
        return _all(judge(parts.get(part), types[part], wanted) for part, wanted in where.items())

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
    """Return the value of the first field that does not hold, else of the first field."""
    where = condition.where.items()
    refused = (
        each for each, wanted in where if judge(parts.get(each), types[each], wanted) is False
    )
    return parts.get(next(refused, next(iter(condition.fields))))


def _unknown(
    condition: PartCondition, types: Mapping[str, PartType], parts: Parts, why: Mapping[str, str]
) -> str:
    clauses = (condition.where, *condition.any_of, condition.but_not)
    field = next(
        name
        for where in clauses
        for name, wanted in where.items()
        if judge(parts.get(name), types[name], wanted) is None
    )
    if field in why:
        return f'{field} is not known: {why[field]}'
    if types[field] == ANY and parts.get(field) is not None:
        return f'{field} is not known: {_quoted(parts[field])} cannot be compared'
    return f'{field} is not known'


def _quoted(value: Any) -> str:
    return f'the text {value!r:.60}' if isinstance(value, str) else f'{value!r:.60}'


def _all(rules: Iterable[bool | None]) -> bool | None:
    """Return whether all hold; None: not known."""
    results = list(rules)
    return False if False in results else None if None in results else True


def _any(rules: Iterable[bool | None]) -> bool | None:
    results = list(rules)
    return True if True in results else None if None in results else False


def holds(
    where: Mapping[str, tuple[PartValue, ...] | Bounds],
    types: Mapping[str, PartType],
    parts: Parts,
) -> bool:
    """Return whether every field is known and has a wanted value."""
    return all(judge(parts.get(each), types[each], wanted) for each, wanted in where.items())


def judge(
    value: PartValue | None, kind: PartType, wanted: tuple[PartValue, ...] | Bounds
) -> bool | None:
    """Return whether a value is wanted; None: not known.

    A value of a topic has any type; one that cannot be compared with the wanted ones is unknown.
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
    """Return whether a known value is one of the wanted ones, or within the bounds."""
    if isinstance(wanted, tuple):
        return any(value == each and _kind_of(value) is _kind_of(each) for each in wanted)
    if isinstance(value, (bool, str)):
        return False
    low = -math.inf if wanted.at_least is None else wanted.at_least
    high = math.inf if wanted.at_most is None else wanted.at_most
    return low <= value <= high


def question_of(name: str) -> str:
    """Return the name of a condition's behaviour: `door_closed` is `Door closed?`."""
    return f'{name.replace("_", " ").capitalize()}?'
