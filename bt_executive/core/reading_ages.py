"""The ages of readings: which are too old to act on, and their texts. Pure."""

from __future__ import annotations

from bt_executive.core.result_text import format_duration, format_fields
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from bt_executive.core.surroundings_state import WorldState
from rover_common.clocks import Now
from rover_common.config.settings import ExecutiveSettings
from rover_common.dataclass_replace import replace

_TOPIC_PREFIX = 'state.'  # an entry may have the name of a reading
AGE_SHOWN_S = 1.0  # of values of topics and of a score; a younger one is shown without its age


def with_ages(state: BrainState, now: Now, settings: ExecutiveSettings) -> BrainState:
    """Return the state with the ages, in s at `now`, of the readings that are too old to act on.

    The limits are those of the guards, which may still use a reading without an age. A value of
    a topic has its age after the first second.
    """
    robot, guards = state.robot, settings.guards
    parts = {_TOPIC_PREFIX + name: (at, AGE_SHOWN_S) for name, at in robot.parts_at.items()}
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
    """Return the values of topics as texts, each with its age or why it is not known."""
    why, names = robot.parts_unknown, {**robot.parts_unknown, **robot.parts_at}
    return {
        name: f'{name.replace("_", " ")} not known: {why[name]}'
        if name in why
        else format_fields({name: robot.parts.get(name)}) + format_age(robot, _TOPIC_PREFIX + name)
        for name in robot.parts
        if name in names
    }


def format_age(robot: RobotState, reading: str) -> str:
    """Return the text behind an old reading: ` (8 s ago)`; empty: it is current, or never came."""
    age_s = robot.ages.get(reading)
    return '' if age_s is None else f' ({format_duration(age_s)} ago)'


def score_age_s(world: WorldState, now: float) -> float | None:
    """Return the age in s of the latest score; None: it is recent. `now`: ROS time in s."""
    scored_at = world.last_score_ts
    return None if scored_at is None or now - scored_at <= AGE_SHOWN_S else now - scored_at


def format_score(world: WorldState, now: float) -> str:
    """Return the latest score, with its age once it is old; empty: none. `now`: ROS time in s."""
    if world.last_score is None:
        return ''
    age_s = score_age_s(world, now)
    return f'{world.last_score:.2f}' + (
        '' if age_s is None else f' ({format_duration(age_s)} ago)'
    )


def is_recent(seen_at: float | None, now: Now, max_age_s: float) -> bool:
    """Return whether a reading has arrived within the last `max_age_s`; `seen_at` in steady s."""
    return seen_at is not None and now.silent_for(seen_at) <= max_age_s
