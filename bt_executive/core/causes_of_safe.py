"""The causes of SAFE (tilt, silence, `safe_when`, journal) that last as long as they are shown.

A safety event reported on a topic is over once it is reset; these causes are not, and a reset is
refused while one of them lasts. Data that has never arrived is no cause: nothing can have started
without it, because the guards refuse.
"""

from __future__ import annotations

from collections.abc import Iterator

from bt_executive.core.guards import judge
from bt_executive.core.observation_and_effects import Observation, Reduced, error
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from bt_executive.core.value_formatting import format_value
from rover_common.clocks import Now
from rover_common.config.settings import Config, GuardSettings, Robot, SafetySettings
from rover_common.dataclass_replace import replace

ADAPTER_SILENT = 'the adapter is silent'
BATTERY_STALE = 'the battery state is stale'
POSITION_STALE = 'the position is stale'
# The causes that are over once a reading comes again: sentence → reading, as in `RobotState.ages`.
SILENCES = {ADAPTER_SILENT: 'status', BATTERY_STALE: 'battery', POSITION_STALE: 'pose'}


def causes_of_safe(seen: Observation, now: Now, config: Config) -> tuple[str, ...]:
    """Return the present causes, of the state and of the journal; empty: SAFE may end."""
    settings = config.executive
    causes = (
        *causes_in_state(seen.state, now, settings.safety, settings.guards),
        *unsafe(seen.state.robot, config.robot),
    )
    if seen.journal_fault is None or settings.journal.on_fault != 'safe':
        return causes
    why = seen.journal_fault.sentence.removesuffix('.')  # a clause may follow
    return (*causes, f'the journal cannot be kept: {why}')


def causes_in_state(
    state: BrainState, now: Now, safety: SafetySettings, guards: GuardSettings
) -> tuple[str, ...]:
    """Return clauses; empty: the state has no cause of SAFE.

    Silence counts only while the executive itself was awake.
    """
    return tuple(_causes(state, now, safety, guards))


def _causes(
    state: BrainState, now: Now, safety: SafetySettings, guards: GuardSettings
) -> Iterator[str]:
    robot = state.robot
    if not robot.pose.tilt <= safety.max_tilt_rad:  # a tilt that is no number is not safe
        yield f'tilt {robot.pose.tilt:.2f} rad is over the limit of {safety.max_tilt_rad:g} rad'
    if _stale(robot.status_at, now, guards.adapter_status_max_age_s):
        yield ADAPTER_SILENT
    if 'battery' in safety.required and _stale(robot.battery_at, now, safety.battery_max_age_s):
        yield BATTERY_STALE
    if 'tf' in safety.required and _stale(robot.pose_at, now, guards.pose_max_age_s):
        yield POSITION_STALE


def _stale(seen_at: float | None, now: Now, max_age_s: float) -> bool:
    return seen_at is not None and now.silent_for(seen_at) > max_age_s


def make_safe(before: Observation, reason: str) -> Reduced:
    """Latch SAFE; a new reason is appended to the present ones."""
    present = before.state.world.safety_reason
    effects = (error(reason, f'Not safe: {reason}'),)
    if reason in present:
        return Reduced(before, effects)
    latched = f'{present}; {reason}' if present else reason
    world = replace(before.state.world, safety_reason=latched)
    return Reduced(before.changed(world=world), effects)


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
