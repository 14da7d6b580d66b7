"""The executive's state for display: its fields as text, and the readings of guards.

Of the fields, those that change all the time or are shown elsewhere are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
import json
from typing import Any

from bt_executive.core.guards import read_condition
from bt_executive.core.reading_ages import format_age
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from bt_executive.core.value_formatting import format_fields
from rover_common.config.settings import PartCondition, Robot
from rover_common.json_values import to_json_value

MAX_VALUE_CHARS = 200
DIGITS = 3  # after the decimal point
LEFT_OUT = frozenset(
    {
        *('robot.pose_at', 'robot.pose_stamp', 'robot.status_at', 'robot.battery_at'),
        *('robot.heard_beat', 'robot.twist', 'messages', 'trace.log', 'world.summary'),
        *('world.places', 'world.remembered'),
    }
)


def state_texts(state: BrainState) -> dict[str, str]:
    """Return the value of each displayed field as short text, by `part.field`."""
    return {
        path: shown_value(to_json_value(value))
        for path, value in _fields_of(state)
        if path not in LEFT_OUT
    }


def _fields_of(state: BrainState) -> Iterator[tuple[str, Any]]:
    for part in fields(state):
        value = getattr(state, part.name)
        if not is_dataclass(value):
            yield part.name, value
            continue
        for each in fields(value):
            yield f'{part.name}.{each.name}', getattr(value, each.name)


def shown_value(value: Any) -> str:
    """Return a JSON value as short text."""
    text = value if isinstance(value, str) else json.dumps(_rounded(value), ensure_ascii=False)
    return text if len(text) <= MAX_VALUE_CHARS else f'{text[:MAX_VALUE_CHARS]} …'


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value


def shown_guard_readings(robot: Robot, state: RobotState) -> tuple[tuple[str, str], ...]:
    """Return name and text, with the age of an old status; an empty text: not known.

    Guards over the same fields are one reading: `mast_open` and `mast_closed` both describe the
    mast. Readings from topics are shown separately (`reading_ages.topic_parts`).
    """
    conditions_by_fields: dict[frozenset[str], dict[str, PartCondition]] = {}
    for name, condition in robot.guards.items():
        if condition.fields and condition.fields.keys() <= robot.from_adapter.keys():
            conditions_by_fields.setdefault(frozenset(condition.fields), {})[name] = condition
    return tuple(_describe(guards, robot, state) for guards in conditions_by_fields.values())


def _describe(
    guards: dict[str, PartCondition], robot: Robot, state: RobotState
) -> tuple[str, str]:
    fields = next(iter(guards.values())).fields
    name = next(iter(fields)).replace('_', ' ')
    read = {each: state.parts.get(each) for each in fields}
    holding = [
        each.replace('_', ' ')
        for each, condition in guards.items()
        if read_condition(each, condition, robot.types, state.parts).allowed
    ]
    if not holding and None in read.values():
        return name, ''
    return name, (', '.join(holding) or format_fields(read)) + format_age(state, 'status')


FIELDS = tuple(state_texts(BrainState()))
