"""What an event changes in the state: pure, one small function per kind of event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bt_executive.core.gauges import velocity
from bt_executive.core.inputs import (
    BatterySeen,
    GoalReceived,
    Input,
    MemorySeen,
    PauseRequested,
    PoseSeen,
    ResumeRequested,
    SafetyEvent,
    StatusSeen,
    StopRequested,
    ZonesSeen,
)
from bt_executive.core.parts import read_parts
from bt_executive.core.state import (
    BrainState,
    HCIState,
    HeardBeat,
    MotionEnding,
    Pose,
    Task,
    UserInterruptType,
)
from bt_executive.core.surroundings import with_changes, with_memory
from rover_common.config.settings import (
    BatteryLimits,
    Config,
    ExecutiveSettings,
    KeepOutZone,
    PartType,
)

# In the payload of a stop:
PAUSED = 'paused'  # who wanted a pause before it; empty: nobody
ENDS = 'ends'  # the ids of the goals that were there when it came
STANDING_UNKNOWN = 'It is not known whether the robot stands'  # of an adapter that gives no reason
LONGEST_REASON = 1000  # characters of a reason that comes from another process


def observe(state: BrainState, event: Input, config: Config) -> BrainState:
    """The state after `event`; unchanged for events that are not the state's business."""
    if isinstance(event, BatterySeen):
        return _battery(state, event, config.executive.battery)
    if isinstance(event, ZonesSeen):
        return with_zones(state, config.executive, event.zones)
    if isinstance(event, StatusSeen):
        return _status(state, event, config.skills.parts)
    change = _CHANGES.get(type(event))
    return change(state, event) if change else state


def with_zones(
    state: BrainState, settings: ExecutiveSettings, told: tuple[KeepOutZone, ...]
) -> BrainState:
    """The state in which the configured zones hold, and those that were told."""
    names = tuple(zone.name for zone in (*settings.keep_out, *told))
    return replace(state, world=with_changes(state.world, zones=names, keep_out=told))


def with_unknown_parts(state: BrainState, types: Mapping[str, PartType]) -> BrainState:
    """The state before the first status: every part is named, and none is known."""
    return replace(state, robot=replace(state.robot, parts=read_parts({}, types)))


def _battery(state: BrainState, event: BatterySeen, limits: BatteryLimits) -> BrainState:
    """LOW is latched: it ends at `resume_pct`, not where it began."""
    was_low = state.robot.battery_state in ('LOW', 'LOST')
    bound = limits.resume_pct if was_low else limits.low_pct
    word = 'LOW' if event.percent < bound else 'OK'
    robot = replace(
        state.robot,
        battery_pct=event.percent,
        battery_state=word,
        battery_at=event.at,
        battery_stale=False,
    )
    return replace(state, robot=robot)


def _goal(state: BrainState, event: GoalReceived) -> BrainState:
    queue = (*state.tasks.queue, event.task)
    hci = replace(state.hci, user_utterance=event.task.goal)
    return replace(state, tasks=replace(state.tasks, queue=queue), hci=hci)


def _interrupt(
    state: BrainState, wanted: UserInterruptType, source: str, **more: Any
) -> BrainState:
    payload = {'source': source, **more}
    return replace(state, hci=replace(state.hci, user_interrupt=wanted, interrupt_payload=payload))


def _stop(state: BrainState, event: StopRequested) -> BrainState:
    """A program may stop, too, and takes no pause of the operator's back by that."""
    more = {
        PAUSED: _who_paused(state.hci),
        ENDS: [task.task_id for task in state.tasks.queue],
    }
    return _interrupt(state, UserInterruptType.STOP, event.source, **more)


def _after_the_stop(state: BrainState, paused_by: str) -> BrainState:
    """A stop that is still to be served leaves the robot so."""
    payload = {**state.hci.interrupt_payload, PAUSED: paused_by}
    return replace(state, hci=replace(state.hci, interrupt_payload=payload))


def ended_by_stop(state: BrainState) -> tuple[Task, ...]:
    """The goals that a stop ends: all that it found; every one, if that is not known any more."""
    found = state.hci.interrupt_payload.get(ENDS)
    return tuple(task for task in state.tasks.queue if found is None or task.task_id in found)


def stop_served(hci: HCIState) -> HCIState:
    """The operator's part of the state after a stop: a pause from before it still holds."""
    source = _who_paused(hci)
    if not source:
        return replace(hci, user_interrupt=UserInterruptType.NONE)
    payload = {'source': source}
    return replace(hci, user_interrupt=UserInterruptType.PAUSE, interrupt_payload=payload)


def _who_paused(hci: HCIState) -> str:
    """Whose pause holds, now or after a stop that is still to be served; empty: nobody's."""
    given = 'source' if hci.user_interrupt is UserInterruptType.PAUSE else PAUSED
    return str(hci.interrupt_payload.get(given, ''))


def _pause(state: BrainState, event: PauseRequested) -> BrainState:
    if state.hci.user_interrupt is UserInterruptType.STOP:
        return _after_the_stop(state, paused_by=event.source)
    return _interrupt(state, UserInterruptType.PAUSE, event.source)


def _resume(state: BrainState, event: ResumeRequested) -> BrainState:
    if state.hci.user_interrupt is UserInterruptType.STOP:
        return _after_the_stop(state, paused_by='')
    if state.hci.user_interrupt is not UserInterruptType.PAUSE:
        return state
    return _interrupt(state, UserInterruptType.NONE, event.source)


def _safety(state: BrainState, event: SafetyEvent) -> BrainState:
    reason = state.world.safety_reason or event.reason or 'Safety event without a reason'
    return replace(state, world=replace(state.world, safety_reason=reason))


def _pose(state: BrainState, event: PoseSeen) -> BrainState:
    pose = Pose(event.x, event.y, event.z, event.orientation_w, event.yaw, event.tilt)
    robot = replace(
        state.robot,
        pose=pose,
        twist=velocity(state.robot, event),
        pose_at=event.at,
        pose_stamp=event.stamp,
    )
    return replace(state, robot=robot)


def _status(state: BrainState, event: StatusSeen, types: Mapping[str, PartType]) -> BrainState:
    robot = replace(
        state.robot,
        parts=read_parts(event.status, types),
        moving=_bool(event.status, 'moving'),
        at_rest=_bool(event.status, 'at_rest'),
        standing_unknown=_standing_unknown(event.status),
        heard_beat=_heard_beat(event.status.get('heartbeat')),
        ending=_ending(event.status.get('ending')),
        status_at=event.at,
        adapter_life=_text(event.status, 'life'),
    )
    return replace(state, robot=robot)


def _heard_beat(given: Any) -> HeardBeat | None:
    try:
        return HeardBeat(str(given['sender']), int(given['sequence']))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _ending(given: Any) -> MotionEnding | None:
    try:
        sender, code, reason = (str(given[key]) for key in ('sender', 'code', 'reason'))
        return MotionEnding(sender, int(given['permit']), code, reason[:LONGEST_REASON])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _bool(status: Mapping[str, Any], key: str) -> bool | None:
    value = status.get(key)
    return value if isinstance(value, bool) else None


def _standing_unknown(status: Mapping[str, Any]) -> str:
    """Why it is not known whether the robot stands; an adapter may not report that at all."""
    if status.get('at_rest', False) is not None:
        return ''
    told = _text(status, 'standing_unknown')
    return told[:LONGEST_REASON] if told else STANDING_UNKNOWN


def _text(status: Mapping[str, Any], key: str) -> str | None:
    value = status.get(key)
    return value if isinstance(value, str) else None


def _memory(state: BrainState, event: MemorySeen) -> BrainState:
    return replace(state, world=with_memory(state.world, event.summary, event.places))


_CHANGES: dict[type, Callable[[BrainState, Any], BrainState]] = {
    GoalReceived: _goal,
    StopRequested: _stop,
    PauseRequested: _pause,
    ResumeRequested: _resume,
    SafetyEvent: _safety,
    PoseSeen: _pose,
    MemorySeen: _memory,
}
