"""What the guards read of the robot's own state, as a page shows it beside the mode. Pure."""

from __future__ import annotations

from bt_executive.core.configured_guards import read_condition
from bt_executive.core.reading_ages import age_in_words
from bt_executive.core.result_text import fields_in_words
from bt_executive.core.robot_state import RobotState
from rover_common.config.settings import PartCondition, Robot


def guarded_of(robot: Robot, state: RobotState) -> tuple[tuple[str, str], ...]:
    """Return name and words, once its status is old with age; words are empty: it is not known.

    Guards over the same fields are of one thing: `mast_open` and `mast_closed` say which of both
    it is. What topics have is shown by itself (`staleness.topic_parts`).
    """
    things: dict[frozenset[str], dict[str, PartCondition]] = {}
    for name, condition in robot.guards.items():
        if condition.fields and condition.fields.keys() <= robot.from_adapter.keys():
            things.setdefault(frozenset(condition.fields), {})[name] = condition
    return tuple(_thing(guards, robot, state) for guards in things.values())


def _thing(guards: dict[str, PartCondition], robot: Robot, state: RobotState) -> tuple[str, str]:
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
    return name, (', '.join(holding) or fields_in_words(read)) + age_in_words(state, 'status')
