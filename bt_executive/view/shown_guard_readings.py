"""Readings of guards on the robot's own state, for the page. Pure."""

from __future__ import annotations

from bt_executive.core.guards import read_condition
from bt_executive.core.reading_ages import format_age
from bt_executive.core.robot_state import RobotState
from bt_executive.core.value_formatting import format_fields
from rover_common.config.settings import PartCondition, Robot


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
