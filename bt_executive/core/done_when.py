"""The conditions that must be measured at the end of a goal for it to be reached. Pure.

They are those of a precondition (`where`, see `core/robot_state.py`) on the robot's parts and on
what the executive measures itself. A condition on an unknown or outdated value is not met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
import math
from typing import Any

from pydantic import ValidationError

from bt_executive.core.guards import judge
from bt_executive.core.stop_and_question_phrases import is_question
from bt_executive.core.value_formatting import format_value
from rover_common.config.settings import Bounds, DoneWhen, Near, PartType, PartValue
from rover_common.json_values import read_json

# Measured by the executive; driven_m, score and is_good for this goal, the last two of its latest
# picture. battery_pct in percent, driven_m in m, score 0 to 1.
MEASURED: Mapping[str, PartType] = {
    'at_rest': 'boolean',
    'battery_pct': 'number',
    'driven_m': 'number',
    'is_good': 'boolean',
    'score': 'number',
}


@dataclass(frozen=True)
class Measurement:
    """The measured values at the end of a goal; None, or absent: unknown or outdated.

    `place`: x and y in m, world frame.
    """

    values: Mapping[str, PartValue | None] = field(default_factory=dict)
    place: tuple[float, float] | None = None


def read_done_when(text: str) -> DoneWhen:
    """Parse conditions in JSON.

    Raises:
        ValueError: They are not valid; the message names the key.
    """
    try:
        given = read_json(text)
    except ValueError as error:
        raise ValueError(f'done_when is not JSON: {error}') from None
    try:
        return DoneWhen.model_validate(given)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        key = '.'.join(['done_when', *(str(each) for each in fault['loc'])])
        raise ValueError(f'{key}: {fault["msg"].removeprefix("Value error, ")}') from None


def write_done_when(done_when: DoneWhen) -> str:
    """Return conditions as JSON for `read_done_when`."""
    return done_when.model_dump_json(exclude_defaults=True)


def choose_done_when(
    given: str, template: DoneWhen | None, default: DoneWhen | None, text: str, tool: str
) -> str:
    """Return the conditions of a goal as JSON; empty: it has none.

    Those `given` with the goal come first, then those of its `template`, then the robot's
    `default`, which is for goals as text that are no questions.
    """
    done_when = template or (None if tool or is_question(text) else default)
    return given.strip() or (write_done_when(done_when) if done_when else '')


def not_met(
    done_when: DoneWhen, types: Mapping[str, PartType], measured: Measurement
) -> tuple[str, ...]:
    """Return the conditions that are not met, as clauses; empty: all were measured.

    `types`: of the robot's parts.
    """
    kinds = {**types, **MEASURED}
    clauses = [
        _missing(name, wanted, kinds.get(name, ''), measured.values.get(name))
        for name, wanted in done_when.where.items()
    ]
    if done_when.near is not None:
        clauses.append(_too_far(done_when.near, measured.place))
    return tuple(filter(None, clauses))


def _missing(
    name: str, wanted: tuple[PartValue, ...] | Bounds, kind: PartType, value: PartValue | None
) -> str:
    is_so = judge(value, kind, wanted)
    if value is None or is_so is None:
        return f'{name} is not known'
    if is_so:
        return ''
    return f'{name} is {format_value(value)}, not {" and ".join(_wanted_texts(wanted))}'


def _wanted_texts(wanted: tuple[PartValue, ...] | Bounds) -> Iterator[str]:
    if isinstance(wanted, Bounds):
        bounds: dict[str, Any] = {'at least': wanted.at_least, 'at most': wanted.at_most}
        yield from (f'{label} {value:g}' for label, value in bounds.items() if value is not None)
    else:
        yield ' or '.join(format_value(each) for each in wanted)


def _too_far(near: Near, place: tuple[float, float] | None) -> str:
    if place is None:
        return "the robot's place is not known"
    distance = math.dist(place, (near.x, near.y))
    if distance <= near.within_m:
        return ''
    return (
        f'the robot is {distance:.2g} m from x {near.x:g}, y {near.y:g}, '
        f'not within {near.within_m:g} m'
    )
