"""A battery's reading that gets old: first it is stale; if it was low, it is lost in the end.

A battery that was low and tells nothing any more will never be known to be charged: nobody may
wait for it without an end, and nobody may take it for full (docs/decisions/0016).
"""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.state import RobotState
from rover_common.clocks import Now
from rover_common.config.settings import ExecutiveSettings


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
