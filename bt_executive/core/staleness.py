"""How old readings are, what is too old to be known, and both in words. Pure.

A battery that was low and tells nothing any more will never be known to be charged: nobody may
wait for it without an end, and nobody may take it for full (docs/decisions/0016).
"""

from __future__ import annotations

from bt_executive.core.result_text import fields_in_words, span
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, WorldState
from rover_common.clocks import Now
from rover_common.config.settings import ExecutiveSettings
from rover_common.replace import replace


def with_age(robot: RobotState, now: Now, settings: ExecutiveSettings) -> RobotState:
    """The same robot, its battery marked as stale or lost.

    Silence counts only while the executive itself was awake: what was sent while it was suspended
    may still be on its way to it. What is stale stays so until there is a reading.
    """
    if robot.battery_at is None:
        return robot
    age_s = now.silent_for(robot.battery_at)
    is_stale = robot.battery_stale or age_s > settings.safety.battery_max_age_s
    is_lost = robot.battery_state == 'LOW' and age_s > settings.battery.lost_after_s
    word = 'LOST' if is_lost else robot.battery_state
    if (is_stale, word) == (robot.battery_stale, robot.battery_state):
        return robot
    return replace(robot, battery_stale=is_stale, battery_state=word)


def why_lost(robot: RobotState, lost_after_s: float) -> str | None:
    """Why it is not safe to go on waiting; None if the battery is not lost."""
    if robot.battery_state != 'LOST':
        return None
    return (
        f'battery reading is stale: {_last(robot)}, and none came for {lost_after_s:g} s; look at '
        'the battery and its driver before a reset'
    )


def _last(robot: RobotState) -> str:
    if robot.battery_pct is None:
        return 'it was low before the restart'
    return f'{robot.charge}, which is low, was the last'


def forgotten(robot: RobotState) -> RobotState:
    """The same robot, of whose battery nothing is known: as one that has never told its charge."""
    return replace(
        robot,
        battery_pct=None,
        battery_state='UNKNOWN',
        battery_at=None,
        battery_stale=False,
    )


_OF_TOPIC = 'state.'  # before the name of an entry, which may be that of a reading
AGE_SHOWN_S = 1.0  # of what topics have, and of a score; a younger value is shown as it is


def with_ages(state: BrainState, now: Now, settings: ExecutiveSettings) -> BrainState:
    """Return the state with the ages, in s at `now`, of those readings that are too old to act on.

    The limits are those of the guards: a reading without an age may still be used by them. What
    topics have of the robot has its age from the first second on.
    """
    robot, guards = state.robot, settings.guards
    parts = {_OF_TOPIC + name: (at, AGE_SHOWN_S) for name, at in robot.parts_at.items()}
    readings = parts | {
        'pose': (robot.pose_at, guards.pose_max_age_s),
        'status': (robot.status_at, guards.adapter_status_max_age_s),
        'battery': (robot.battery_at, settings.safety.battery_max_age_s),
    }
    ages = {
        name: round(now.steady - at, 1)
        for name, (at, limit_s) in readings.items()
        if at is not None and now.steady - at > limit_s
    }
    return state if ages == robot.ages else replace(state, robot=replace(robot, ages=ages))


def topic_parts(robot: RobotState) -> dict[str, str]:
    """Return what topics have of the robot's state in words, with age or why it is not known."""
    why, names = robot.parts_unknown, {**robot.parts_unknown, **robot.parts_at}
    return {
        name: f'{name.replace("_", " ")} not known: {why[name]}'
        if name in why
        else fields_in_words({name: robot.parts.get(name)}) + age_in_words(robot, _OF_TOPIC + name)
        for name in robot.parts
        if name in names
    }


def age_in_words(robot: RobotState, reading: str) -> str:
    """What stands behind an old reading: ` (8 s ago)`; empty: it is current, or never came."""
    age_s = robot.ages.get(reading)
    return '' if age_s is None else f' ({span(age_s)} ago)'


def score_age_s(world: WorldState, now: float) -> float | None:
    """Return how old the latest score is once it is not of this moment. `now`: ROS time in s."""
    told = world.last_score_ts
    return None if told is None or now - told <= AGE_SHOWN_S else now - told


def score_in_words(world: WorldState, now: float) -> str:
    """Return the latest score, with its age once it is old; empty: none. `now`: ROS time in s."""
    if world.last_score is None:
        return ''
    age_s = score_age_s(world, now)
    return f'{world.last_score:.2f}' + ('' if age_s is None else f' ({span(age_s)} ago)')
