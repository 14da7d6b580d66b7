"""State from topics: how long a value is valid, and which values make SAFE. Pure.

A value that is too old, or cannot be read, is unknown, with the reason. It is removed from the
state itself, so that no reader can take it for current.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_executive.core.configured_guards import judge
from bt_executive.core.inputs import TopicReceived
from bt_executive.core.observation import Observation, Reduced
from bt_executive.core.result_text import format_value
from bt_executive.core.robot_state import RobotState
from rover_common.clocks import Now
from rover_common.config.settings import Config, Robot
from rover_common.config.settings.state_entries import TopicField
from rover_common.dataclass_replace import replace

NEVER = 'nothing was received yet'


def with_topic(
    robot: RobotState, given: TopicReceived, fields: Mapping[str, TopicField]
) -> RobotState:
    """Return the robot's state after a message, or after a fault of the topic."""
    named = [name for name, each in fields.items() if each.topic == given.topic]
    values = {name: given.values.get(name) for name in named}
    unknown = {name: given.unknown.get(name, NEVER) for name in named if values[name] is None}
    kept = {name: why for name, why in robot.parts_unknown.items() if name not in values}
    return replace(
        robot,
        parts={**robot.parts, **values},
        parts_at={**robot.parts_at, **{name: given.at for name in named if name not in unknown}},
        parts_unknown={**kept, **unknown},
    )


def without_old_values(
    robot: RobotState, now: Now, fields: Mapping[str, TopicField]
) -> RobotState:
    """Return the robot's state without the values of topics that are too old at `now`."""
    old = {
        name: now.steady - at
        for name, at in robot.parts_at.items()
        if name in fields
        and robot.parts.get(name) is not None
        and not now.steady - at <= fields[name].max_age_s
    }
    if not old:
        return robot
    reasons = {
        name: f'the latest is {age:.1f} s old, over {fields[name].max_age_s:g} s'
        for name, age in old.items()
    }
    parts = {**robot.parts, **dict.fromkeys(old)}
    return replace(robot, parts=parts, parts_unknown={**robot.parts_unknown, **reasons})


def unsafe(robot: RobotState, config: Robot) -> Iterator[str]:
    """Yield the causes of SAFE by `safe_when`: what holds, and what is not known any more."""
    for name, wanted in config.safe_when.items():
        value = robot.parts.get(name)
        holds = judge(value, config.types[name], wanted)
        if holds:
            yield f'{name} is {format_value(value)}'
        elif holds is None and _was_received(name, robot, config):
            yield f'{name} is not known: {robot.parts_unknown.get(name, "it has another type")}'


def not_yet_received(robot: RobotState, config: Robot) -> tuple[str, ...]:
    """Return the fields of `safe_when` without a value so far."""
    return tuple(
        name
        for name, wanted in config.safe_when.items()
        if judge(robot.parts.get(name), config.types[name], wanted) is None
        and not _was_received(name, robot, config)
    )


def _was_received(name: str, robot: RobotState, config: Robot) -> bool:
    if name in config.from_topics:
        return name in robot.parts_at
    return robot.status_at is not None


def expire_topic_values(before: Observation, now: Now, config: Config) -> Reduced:
    """Remove the values of topics that are too old."""
    robot = without_old_values(before.state.robot, now, config.robot.from_topics)
    awaited = not_yet_received(robot, config.robot)
    if awaited != robot.awaited:
        robot = replace(robot, awaited=awaited)
    if robot is before.state.robot:
        return Reduced(before)
    return Reduced(before.changed(robot=robot))
