"""The battery by its readings: low, charged again, used up, stale, lost. Charge in percent. Pure.

A battery that was low and tells nothing any more will never be known to be charged: nobody may
wait for it without an end, and nobody may take it for full (docs/decisions/0016).
"""

from __future__ import annotations

from bt_executive.core.causes_of_safe import make_safe
from bt_executive.core.inputs import BatteryReceived
from bt_executive.core.observation import Observation, Reduced
from bt_executive.core.reducer_effects import CountEnergy, Effect, Emit
from bt_executive.core.robot_state import RobotState
from rover_common.clocks import Now
from rover_common.config.settings import Config, ExecutiveSettings
from rover_common.dataclass_replace import replace


def battery_received(
    before: Observation, given: BatteryReceived, _now: Now, config: Config
) -> Reduced:
    """LOW is latched: it ends at `resume_pct`, not where it began."""
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


TREMBLE_PCT = 1.0  # so far a battery's reading rises without being charged


def charge_used(before: float | None, percent: float) -> tuple[float, float]:
    """Return the charge to compare the next reading with, and how much was used; in percent.

    What is charged is not subtracted. `before`: the lowest reading, until it has risen clearly.
    """
    if before is None:
        return percent, 0.0
    is_charged = percent > before + TREMBLE_PCT
    return percent if is_charged else min(before, percent), max(before - percent, 0.0)


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


def report_stale_battery(before: Observation, now: Now, config: Config) -> Reduced:
    """A reading that is stale is reported; one that was low and is lost makes SAFE."""
    settings, was = config.executive, before.state.robot
    robot = with_age(was, now, settings)
    if robot is was:
        return Reduced(before)
    after, effects = before.changed(robot=robot), list[Effect]()
    if robot.battery_stale and not was.battery_stale:
        limit = settings.safety.battery_max_age_s
        effects.append(
            Emit('ERROR', f'No reading of the battery for {limit:g} s: {robot.charge} is stale')
        )
    lost = why_lost(robot, settings.battery.lost_after_s)
    if lost is not None and robot.battery_state != was.battery_state:
        after, more = make_safe(after, lost)
        effects += more
    return Reduced(after, tuple(effects))
