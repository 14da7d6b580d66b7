"""What must be measured at the end of a goal for it to be reached. Pure.

The conditions are those of a precondition (`where`, see `core/robot_parts.py`) over the robot's
parts and over what the executive measures itself. What is not known, or old, is not met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
import math
from typing import Any

from pydantic import ValidationError

from bt_executive.core.configured_guards import judge
from bt_executive.core.question_words import asks
from bt_executive.core.result_text import format_value
from rover_common.config.settings import Bounds, DoneWhen, Near, PartType, PartValue
from rover_common.json_text import read_json

# Measured by the executive. Distances are those of this goal, and so are score and is_good: of its
# latest picture. battery_pct in percent, driven_m in m, score 0 to 1.
MEASURED: Mapping[str, PartType] = {
    'at_rest': 'boolean',
    'battery_pct': 'number',
    'driven_m': 'number',
    'is_good': 'boolean',
    'score': 'number',
}


@dataclass(frozen=True)
class Measurement:
    """What is known at the end of a goal; None, or absent: not known, or old.

    `place`: x and y in m, world frame.
    """

    values: Mapping[str, PartValue | None] = field(default_factory=dict)
    place: tuple[float, float] | None = None


def read_done_when(text: str) -> DoneWhen:
    """Return the conditions of a JSON text.

    Raises:
        ValueError: It has none; the message names the key.
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


def written(done_when: DoneWhen) -> str:
    """Return conditions as the JSON text that `read_done_when` reads."""
    return done_when.model_dump_json(exclude_defaults=True)


def wanted_end(
    given: str, template: DoneWhen | None, usual: DoneWhen | None, words: str, tool: str
) -> str:
    """Return what must be measured at the end of a goal, as JSON text; empty: nothing.

    `given` with the goal comes first, then what its `template` says, then what is `usual` for the
    robot: for goals in words that are no questions.
    """
    of_robot = None if tool or asks(words) else usual
    wanted = template or of_robot
    return given.strip() or (written(wanted) if wanted else '')


def not_met(
    done_when: DoneWhen, types: Mapping[str, PartType], measured: Measurement
) -> tuple[str, ...]:
    """Return what is not so, or not known, as clauses; none: all of it was measured.

    `types`: of the robot's parts.
    """
    kinds = {**types, **MEASURED}
    found = [
        _missing(name, wanted, kinds.get(name, ''), measured.values.get(name))
        for name, wanted in done_when.where.items()
    ]
    if done_when.near is not None:
        found.append(_too_far(done_when.near, measured.place))
    return tuple(each for each in found if each)


def _missing(
    name: str, wanted: tuple[PartValue, ...] | Bounds, kind: PartType, value: PartValue | None
) -> str:
    is_so = judge(value, kind, wanted)
    if value is None or is_so is None:
        return f'{name} is not known'
    if is_so:
        return ''
    return f'{name} is {format_value(value)}, not {" and ".join(_in_words(wanted))}'


def _in_words(wanted: tuple[PartValue, ...] | Bounds) -> Iterator[str]:
    if isinstance(wanted, Bounds):
        bounds: dict[str, Any] = {'at least': wanted.at_least, 'at most': wanted.at_most}
        yield from (f'{word} {value:g}' for word, value in bounds.items() if value is not None)
    else:
        yield ' or '.join(format_value(each) for each in wanted)


def _too_far(near: Near, place: tuple[float, float] | None) -> str:
    if place is None:
        return "the robot's place is not known"
    far = math.dist(place, (near.x, near.y))
    if far <= near.within_m:
        return ''
    return (
        f'the robot is {far:.2g} m from x {near.x:g}, y {near.y:g}, not within {near.within_m:g} m'
    )
