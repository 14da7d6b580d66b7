"""The robot's parts: what the adapter's status says of them, and guards over it. Pure.

Which fields there are, and which values allow what, is configuration (`state` and `guards` in
robot.yaml). What is not known is refused, and so is a value of another type than configured.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any, TypeAlias

from bt_executive.core.verdict import GuardReading, allows, refuses
from rover_common.config.settings import Bounds, PartCondition, PartType, PartValue
from rover_common.finite_number import finite_number

LONGEST_TEXT = 200  # characters; a longer text is not taken
Parts: TypeAlias = Mapping[str, PartValue | None]  # field of the status → value; None: not known


def read_parts(status: Mapping[str, Any], types: Mapping[str, PartType]) -> dict[str, Any]:
    """The configured fields of a status; None for what is absent or of another type."""
    return {name: _read(status.get(name), kind) for name, kind in types.items()}


def _read(value: Any, kind: PartType) -> PartValue | None:
    return value if _has_type(value, kind) else None


def _has_type(value: Any, kind: PartType) -> bool:
    """Whether a value is of a configured type. Any text may come in the place of a word."""
    if kind == 'boolean':
        return isinstance(value, bool)
    if kind == 'number':
        return finite_number(value) is not None
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def is_known(value: Any, kind: PartType) -> bool:
    """Whether a value is of a configured type, and one of the words if they are listed."""
    return _has_type(value, kind) and (not isinstance(kind, tuple) or value in kind)


def read_condition(
    name: str, condition: PartCondition, types: Mapping[str, PartType], parts: Parts
) -> GuardReading:
    """What a condition says of the parts. It refuses while one of its fields is not known."""
    unknown = ''
    for field, wanted in condition.where.items():
        value = parts.get(field)
        if value is None or not is_known(value, types[field]):
            unknown = unknown or field
        elif not fits(value, wanted):
            return refuses(name, condition.reason, value)
    if unknown:
        reason = condition.unknown or f'{unknown} is not known'
        return refuses(name, reason, passing=True)
    return allows(name, parts.get(next(iter(condition.where))))


def holds(
    where: Mapping[str, tuple[PartValue, ...] | Bounds],
    types: Mapping[str, PartType],
    parts: Parts,
) -> bool:
    """Whether every field is known and what is wanted of it."""
    found = ((parts.get(field), types[field], wanted) for field, wanted in where.items())
    return all(
        value is not None and is_known(value, kind) and fits(value, wanted)
        for value, kind, wanted in found
    )


def fits(value: PartValue, wanted: tuple[PartValue, ...] | Bounds) -> bool:
    """Return whether a known value is one of those that are wanted, or within the bounds."""
    if isinstance(wanted, tuple):
        return value in wanted
    if isinstance(value, str):
        return False
    low = -math.inf if wanted.at_least is None else wanted.at_least
    high = math.inf if wanted.at_most is None else wanted.at_most
    return low <= value <= high


def question_of(name: str) -> str:
    """A condition's name as it stands in the tree: `door_closed` is `Door closed?`."""
    return f'{name.replace("_", " ").capitalize()}?'
