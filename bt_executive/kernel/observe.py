"""What an event changes in the state: pure, one small function per kind of event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bt_executive.inbox import (
    Event,
    GoalReceived,
    PoseSeen,
    ResetRequested,
    SafetyEvent,
    StatusSeen,
    StopRequested,
)
from bt_executive.state import BrainState, Pose, UserInterruptType


def observe(state: BrainState, event: Event) -> BrainState:
    """The state after `event`; unchanged for events that are not the state's business."""
    change = _CHANGES.get(type(event))
    return change(state, event) if change else state


def _goal(state: BrainState, event: GoalReceived) -> BrainState:
    queue = (*state.tasks.queue, event.task)
    hci = replace(state.hci, user_utterance=event.task.goal)
    return replace(state, tasks=replace(state.tasks, queue=queue), hci=hci)


def _stop(state: BrainState, event: StopRequested) -> BrainState:
    payload = {'source': event.source}
    interrupt = UserInterruptType.STOP
    return replace(
        state, hci=replace(state.hci, user_interrupt=interrupt, interrupt_payload=payload)
    )


def _safety(state: BrainState, event: SafetyEvent) -> BrainState:
    reason = state.world.safety_reason or event.reason or 'Safety event without a reason'
    return replace(state, world=replace(state.world, safety_reason=reason))


def _reset(state: BrainState, _event: ResetRequested) -> BrainState:
    return replace(state, world=replace(state.world, safety_reason=''))


def _pose(state: BrainState, event: PoseSeen) -> BrainState:
    pose = Pose(x=event.x, y=event.y, yaw=event.yaw)
    return replace(state, robot=replace(state.robot, pose=pose, pose_at=event.at))


def _status(state: BrainState, event: StatusSeen) -> BrainState:
    robot = replace(
        state.robot,
        mast_is_open=_bool(event.status, 'mast_is_open'),
        mast=_text(event.status, 'mast'),
        moving=_bool(event.status, 'moving'),
        status_at=event.at,
    )
    return replace(state, robot=robot)


def _bool(status: Mapping[str, Any], key: str) -> bool | None:
    value = status.get(key)
    return value if isinstance(value, bool) else None


def _text(status: Mapping[str, Any], key: str) -> str | None:
    value = status.get(key)
    return value if isinstance(value, str) else None


_CHANGES: dict[type, Callable[[BrainState, Any], BrainState]] = {
    GoalReceived: _goal,
    StopRequested: _stop,
    SafetyEvent: _safety,
    ResetRequested: _reset,
    PoseSeen: _pose,
    StatusSeen: _status,
}
