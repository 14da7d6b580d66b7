"""The state of the battery by its readings: low, OK, stale, lost. Charge in percent. Pure.

A battery that was low and gives no more readings will never be known to be charged: nothing may
wait for it forever, and nothing may assume that it is full (docs/decisions/0016).
"""

from __future__ import annotations

from bt_executive.core.causes_of_safe import make_safe
from bt_executive.core.inputs import BatteryReceived
from bt_executive.core.observation_and_effects import (
    CountEnergy,
    Effect,
    Emit,
    Observation,
    Reduced,
)
from bt_executive.core.robot_state import RobotState
from rover_common.clocks import Now
from rover_common.config.settings import Config, ExecutiveSettings
from rover_common.dataclass_replace import replace


def battery_received(
    before: Observation, given: BatteryReceived, _now: Now, config: Config
) -> Reduced:
    """Apply a reading. LOW is latched: it begins below `low_pct` and ends at `resume_pct`."""
    limits, robot = config.executive.battery, before.state.robot
    was_low = robot.battery_state in ('LOW', 'LOST')
    bound = limits.resume_pct if was_low else limits.low_pct
    is_low = given.percent < bound
    robot = replace(
        robot,
        battery_pct=given.percent,
        battery_state='LOW' if is_low else 'OK',
        battery_at=given.at,
        battery_stale=False,
        sent_to_charge=robot.sent_to_charge and is_low,
    )
    charge_pct, used_pct = charge_used(before.charge_pct, given.percent)
    after = before.changed(robot=robot)._replace(charge_pct=charge_pct)
    return Reduced(after, (CountEnergy(used_pct),) if used_pct else ())


NOISE_PCT = 1.0  # a reading may rise by this much without charging


def charge_used(before: float | None, percent: float) -> tuple[float, float]:
    """Return the charge to compare the next reading with, and the charge used; in percent.

    Charging is not subtracted. `before`: the lowest reading since the battery was charged.
    """
    if before is None:
        return percent, 0.0
    is_charged = percent > before + NOISE_PCT
    return percent if is_charged else min(before, percent), max(before - percent, 0.0)


def with_age(robot: RobotState, now: Now, settings: ExecutiveSettings) -> RobotState:
    """Return the robot's state with its battery marked as stale or lost.

    Silence counts only while the executive itself was awake: messages sent while it was suspended
    may still be queued. A stale battery stays so until the next reading.
    """
    if robot.battery_at is None:
        return robot
    age_s = now.silent_for(robot.battery_at)
    is_stale = robot.battery_stale or age_s > settings.safety.battery_max_age_s
    is_lost = robot.battery_state == 'LOW' and age_s > settings.battery.lost_after_s
    battery_state = 'LOST' if is_lost else robot.battery_state
    if (is_stale, battery_state) == (robot.battery_stale, robot.battery_state):
        return robot
    return replace(robot, battery_stale=is_stale, battery_state=battery_state)


def why_lost(robot: RobotState, lost_after_s: float) -> str | None:
    """Return why it is not safe to go on waiting; None: the battery is not lost."""
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


def without_battery(robot: RobotState) -> RobotState:
    """Return the robot's state without any reading of the battery, as at the start."""
    return replace(
        robot, battery_pct=None, battery_state='UNKNOWN', battery_at=None, battery_stale=False
    )


def report_stale_battery(before: Observation, now: Now, config: Config) -> Reduced:
    """Report a stale reading; a battery that was low and is lost makes SAFE."""
    settings, previous = config.executive, before.state.robot
    robot = with_age(previous, now, settings)
    if robot is previous:
        return Reduced(before)
    after, effects = before.changed(robot=robot), list[Effect]()
    if robot.battery_stale and not previous.battery_stale:
        limit = settings.safety.battery_max_age_s
        effects.append(
            Emit('ERROR', f'No reading of the battery for {limit:g} s: {robot.charge} is stale')
        )
    lost = why_lost(robot, settings.battery.lost_after_s)
    if lost is not None and robot.battery_state != previous.battery_state:
        after, more = make_safe(after, lost)
        effects += more
    return Reduced(after, tuple(effects))
