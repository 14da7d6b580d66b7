"""The ages of readings: which are too old to act on, and their texts. Pure.

A message that arrives now may be old: it was made, and perhaps waited, before the previous tool
ended. How young a status is, is told by the heartbeat that the adapter had taken when it made it,
as in `stop_confirmation.py`: a heartbeat is sent at the end of a tool that may have moved
something, and only a status that knows of it, or of a later one, shows what the tool has left.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from bt_executive.core.surroundings_state import WorldState
from bt_executive.core.value_formatting import format_duration, format_fields
from rover_common.clocks import Now
from rover_common.config.settings import ExecutiveSettings, GuardSettings
from rover_common.dataclass_replace import replace
from rover_common.permit import Heartbeat

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
    """Return the age in s of the latest score; None: it is recent. `now`: ROS time in s.

    Infinite: it is of before the clock was set back, as by a simulation that began anew.
    """
    age_s = 0.0 if world.last_score_ts is None else now - world.last_score_ts
    if age_s < -AGE_SHOWN_S:
        return math.inf
    return age_s if age_s > AGE_SHOWN_S else None


def format_score(world: WorldState, now: float) -> str:
    """Return the latest score, with its age once it is old; empty: none. `now`: ROS time in s."""
    if world.last_score is None:
        return ''
    age_s, score = score_age_s(world, now), f'{world.last_score:.2f}'
    if age_s is None:
        return score
    if age_s == math.inf:
        return f'{score} (before the clock was set back)'
    return f'{score} ({format_duration(age_s)} ago)'


def is_recent(seen_at: float | None, now: Now, max_age_s: float) -> bool:
    """Return whether a reading has arrived within the last `max_age_s`; `seen_at` in steady s."""
    return seen_at is not None and now.silent_for(seen_at) <= max_age_s


FRESH_STATUS_WAIT_S = 1.0  # after the end of a tool that moves something
MAY_BE_SILENT_S = 2.0  # a value of a topic without a message for longer has not changed


def is_still_outdated(settled: bool, ended_at: float, now: float) -> bool:
    """Return whether to wait for a fresh status. `settled`: one younger than the tool has arrived.

    `ended_at`, `now`: the end of the tool, and this tick, in steady s.
    """
    return not settled and now - ended_at < FRESH_STATUS_WAIT_S


@dataclass(frozen=True)
class LatestEnd:
    """The latest end of a call that may have changed a part of the robot."""

    call_id: str  # of the call
    heartbeat: Heartbeat  # the heartbeat that was sent when it had ended
    at: float  # the time of that, in steady s

    def is_shown_by(self, robot: RobotState) -> bool:
        """Returns whether the status was made after this end.

        For an adapter that reports no heartbeat, the arrival of the status decides.
        """
        received = robot.heard_beat
        if received is None:
            return robot.status_at is not None and robot.status_at > self.at
        return received.number.reaches(self.heartbeat.number)


def is_reporting(
    status_at: float | None, permitted_at: float | None, now: Now, guards: GuardSettings
) -> bool:
    """Return whether the latest status is recent; while a motion is permitted, more recent.

    Both times in steady s. `permitted_at`: when a motion was permitted; None: none is.
    """
    if status_at is None or not is_recent(status_at, now, guards.adapter_status_max_age_s):
        return False
    if permitted_at is None:
        return True
    since = max(status_at, permitted_at)  # an adapter at rest reports less often
    return is_recent(since, now, guards.adapter_status_moving_max_age_s)
