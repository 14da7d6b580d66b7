"""Calls a server: one call of a service or action, from the request to its terminal state."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from py_trees.common import Status

from bt_executive.approval.approval_request import GUARD
from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.error_codes import CallError, ended_by
from bt_executive.core.guard_view_and_verdict import GuardReading, refuses
from bt_executive.core.value_formatting import format_feedback
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import ToolLeaf
from bt_executive.tree.behaviours.operator.wait_for_approval_and_answers import (
    changed_since_approval,
)
from bt_executive.tree.behaviours.safety.answered_lost_and_cancelled_calls import result_of
from bt_executive.tree.behaviours.safety.send_and_confirm_stop import send_stop
from bt_executive.tree.context_roles import ToolAccess
from bt_executive.tree.planning_round import Asked
from bt_executive.tree.wait_until_stored import StoreGate
from rover_common.config.settings import Endpoint
from rover_common.dataclass_replace import replace

# A server whose motion the adapter has ended has so long to say so itself, in s of steady time.
LAST_WORD_S = 1.0
WITHDRAWN = 'Another tool has stopped the robot'


class CallServer(ToolLeaf[ToolAccess]):
    """SUCCESS or FAILURE as the call ends; result and error code go into the round.

    FAILURE, too, when the server, which may have died or stand still, does not accept the goal, or
    does not say that the adapter has ended its motion. What drives is stopped when its time is
    over, whatever its server does.

    Nothing is asked of a server on what was known before a standstill of the executive, nor, up
    to the first motion, with an approval for another situation.

    A server that is absent, or has not ended a goal on request (`silent_servers.py`), is waited
    for, `guards.server_wait_s` at most; so is the journal,
    `journal.patience_s` at most, by a call that must not be made twice or needs a permit.
    Preempted, the call is only entered as cancelled: `CleanUpCancelledCalls` tells the server,
    and the leases last until its last word.
    """

    def __init__(self, name: str, context: ToolAccess, tool: Tool, endpoint: Endpoint) -> None:
        super().__init__(name, context)
        self._tool = tool
        self._endpoint = endpoint
        self._call_id = self._server_call_id = ''
        self._permit = 0  # its number; 0: it was not given yet
        self._since = 0.0
        self._motion_ended_at = self._hindered_since = math.inf
        self._gate = StoreGate(context)

    def initialise(self) -> None:
        """Resets the call; nothing is sent yet."""
        self._call_id, self._server_call_id = self.context.round.call_id, ''
        self._permit = 0
        self._since = self.context.now.steady
        self._motion_ended_at = self._hindered_since = math.inf

    def update(self) -> Status:
        """Sends the request as soon as possible, then checks for the response."""
        call = self.context.calls.get(self._server_call_id)
        if call is None or call.state is CallState.REQUESTED:
            status = self._send(call)
            if status is not Status.SUCCESS:
                return status
            call = self.context.calls.get(self._server_call_id)
        if call is None or not call.ended:
            self._stop_if_expired(call)
            over = self._motion_ended(call) or self._not_accepted(call) or self._unmeasured()
            return over or self.running(self._waiting(call))
        return self._read(call)

    def arguments(self) -> Mapping[str, Any]:
        """Returns the arguments of the call, by default those of the proposal."""
        proposal = self.context.round.proposal
        return proposal.arguments if proposal else {}

    def terminate(self, new_status: Status) -> None:
        """Cancels a preempted call, and discards a prepared permit."""
        self.context.permits.discard_prepared(self._call_id)
        if new_status is Status.INVALID and self._server_call_id:
            self._cancel()

    def _cancel(self) -> None:
        context = self.context
        patience = context.config.executive.sessions.cancel_timeout_s
        if context.calls.cancel(self._server_call_id, context.now, patience):
            context.wake_at(steady=context.now.steady)  # for `CleanUpCancelledCalls`

    def _not_accepted(self, call: ServerCall | None) -> Status | None:
        """Returns FAILURE if an action's server does not accept the goal in time."""
        if call is None or call.state is not CallState.SENT:
            return None
        context, patience = self.context, self.context.config.executive.guards.server_wait_s
        if context.now.silent_for(call.started_at.steady) < patience:
            context.wake_at(steady=call.started_at.steady + patience)
            return None
        self._cancel()
        reason = f'{call.label} did not accept the goal within {patience:g} s'
        return self.failed(CallError.LOST, reason)

    def _stop_if_expired(self, call: ServerCall | None) -> None:
        """Returns FAILURE once the call's time is over, so that the motion is stopped at once."""
        if _is_expired(call) and self._is_permitted:
            send_stop(self.context, self._call_id)

    def _motion_ended(self, call: ServerCall | None) -> Status | None:
        """Returns FAILURE if the motion was ended, and the server does not respond.

        The adapter has ended it, or another call has withdrawn its permit, as each stop does.
        """
        context, now = self.context, self.context.now.steady
        if not self._permit or not self._tool.cancellable or _is_expired(call):
            return None
        ending = context.permits.ending(self._permit, context.state.robot)
        if ending is None and self._is_permitted:
            return None
        self._motion_ended_at = min(self._motion_ended_at, now)
        if now - self._motion_ended_at < LAST_WORD_S:
            context.wake_at(steady=self._motion_ended_at + LAST_WORD_S)
            return None
        self._cancel()
        if ending is None:
            return self.failed(CallError.STOPPED, WITHDRAWN)
        return self.failed(ended_by(ending), ending.reason)

    def _unmeasured(self) -> Status | None:
        """Returns FAILURE if the robot drives at an unknown speed without poses to measure it.

        For a robot without any pose nothing is measured.
        """
        context, asked = self.context, self.context.round.asked
        motion = self._tool.skill.motion
        if not self._drives or (motion is not None and motion.speed_m_s):
            return None
        if asked is None or context.state.robot.pose_at is None or context.pose_is_current():
            return None
        limit = context.config.executive.guards.pose_max_age_s
        until = asked.now.steady + limit  # an old one may still be followed by another
        if asked.pose_at is None and context.now.steady < until:
            context.wake_at(steady=until)
            return None
        self._cancel()
        reason = (
            f'{self._tool.name} was stopped: it is not known how far the robot drives, '
            f'no new pose for {limit:g} s (guards.pose_max_age_s)'
        )
        return self.failed(CallError.OFF_COURSE, reason)

    def _send(self, call: ServerCall | None) -> Status:
        """Sends the request; returns SUCCESS once it is sent."""
        context = self.context
        if self._tool.motion_to_permit and context.stops.pending:
            return self.running('waiting until the last stop is confirmed')
        not_now = self._not_now()
        if not_now is not None:
            return not_now
        if call is None:
            if self._server_call_id:
                return self.running(self._waiting(None))
            absence = context.absence(self._endpoint)
            if absence:
                return self._absent(absence)
            call = self._open()
        kept = self._gate.evaluate() if self._waits_for_disk else Status.SUCCESS
        if kept is Status.RUNNING:
            return self.running('waiting for the journal')
        if kept is Status.FAILURE:
            context.calls.cancel(call.server_call_id, context.now, 0.0)
            return self.failed(self._gate.code, self._gate.reason)
        self._go(call)
        return Status.SUCCESS

    def _not_now(self) -> Status | None:
        """Returns RUNNING or FAILURE if a precondition refuses the call at this moment."""
        hindrance = self.context.guards.hindrance(self._tool, self.arguments())
        if hindrance is not None:
            return self._hindered(hindrance)
        self._hindered_since = math.inf
        if self._pose_was_missed():
            return self.running('waiting for the pose')
        changed = changed_since_approval(self.context)
        if changed is None:
            return None
        return self._refuse(refuses(GUARD, f'Approved for another situation: {changed}'))

    def _hindered(self, hindrance: GuardReading) -> Status:
        """Waits for the refusal to pass, as after a suspension of the executive."""
        now, patience = self.context.now.steady, self.context.config.executive.guards.server_wait_s
        self._hindered_since = min(self._hindered_since, now)
        if now - self._hindered_since >= patience:
            return self._refuse(hindrance)
        self.context.wake_at(steady=self._hindered_since + patience)
        return self.running(f'waiting: {hindrance.reason}')

    def _refuse(self, reading: GuardReading) -> Status:
        if self._server_call_id:
            self.context.calls.cancel(self._server_call_id, self.context.now, 0.0)
        self.context.refuse(reading)
        return self.failure(reading.reason)

    def _pose_was_missed(self) -> bool:
        """Returns whether a motion would begin at a pose that a suspension has made old."""
        context, pose_at = self.context, self.context.state.robot.pose_at
        if pose_at is None or not self._drives:
            return False
        limit = context.config.executive.guards.pose_max_age_s
        return context.now.steady - pose_at > limit and context.pose_is_current()

    @property
    def _waits_for_disk(self) -> bool:
        """Returns whether this call must be on disk before it is sent."""
        tool = self._tool
        return bool(
            not tool.skill.idempotent or tool.motion_to_permit or self.context.round.approved
        )

    def _open(self) -> ServerCall:
        """Opens the call, with all that must be stored before it is sent."""
        context = self.context
        if self._tool.motion_to_permit:
            context.permits.prepare(
                self._tool.motion_to_permit, self._tool.skill.gate, self._call_id
            )
        call = context.calls.open(
            call_id=self._call_id,
            label=self._endpoint.name,
            now=context.now,
            timeout_s=self._tool.skill.timeout_s,
            endpoint=self._endpoint,
            cancellable=self._tool.cancellable,
            skill=self._tool.name,
            arguments=self._tool.request(self.arguments()),
            idempotent=self._tool.skill.idempotent,
            run_id=context.tracer.run_id,
        )
        self._server_call_id = call.server_call_id
        self._gate.begin()
        return call

    def _go(self, call: ServerCall) -> None:
        """Sends the request; the guards above have allowed it in this tick."""
        context, robot = self.context, self.context.state.robot
        pose_at = robot.pose_at if context.pose_is_current() else None
        asked = Asked(context.now, robot.pose, robot.pose_stamp, pose_at, robot.adapter_life)
        context.round = replace(context.round, asked=asked)
        if self._tool.motion_to_permit:
            context.round = replace(context.round, agreed=None)  # it may move from now on
            permit = context.permits.give(
                self._tool.motion_to_permit,
                self._tool.skill.gate,
                self._goal_at_gate(call),
                context.now.steady,
                self._call_id,
            )
            self._permit = permit.number
            context.round = replace(context.round, permit=permit.number)
        context.calls.sent(call.server_call_id, context.now)
        context.robot.send(call.server_call_id, self._endpoint, call.arguments, call.goal_id)

    @property
    def _is_permitted(self) -> bool:
        """Returns whether its motion has the permit that it was given."""
        at_gate = self.context.permits.at(self._tool.skill.gate).number
        return bool(self._permit) and at_gate == self._permit

    @property
    def _drives(self) -> bool:
        return bool(self._tool.motion_to_permit and self._tool.drives)

    def _goal_at_gate(self, call: ServerCall) -> str:
        return call.goal_id if self._tool.skill.gate else ''

    def _waiting(self, call: ServerCall | None) -> str:
        feedback = call.progress if call else None
        text = format_feedback(feedback or {}, self._tool.skill.result.units)
        return f'{text:.200}' if text else f'waiting for {self._endpoint.name}'

    def _absent(self, absence: str) -> Status:
        patience = self.context.config.executive.guards.server_wait_s
        name = self._endpoint.name
        parts = self._tool.skill.ready_when
        left_out = self.context.config.why_left_out(self._endpoint, parts)
        if left_out:
            return self.failed(CallError.UNAVAILABLE, f'{name} {absence}: {left_out}')
        if self.context.now.steady - self._since < patience:
            return self.running(f'{name} {absence}; waiting')
        kind = self._endpoint.kind.capitalize()
        reason = f'{kind} {name} {absence} (waited {patience:g} s)'
        return self.failed(CallError.UNAVAILABLE, reason)

    def _read(self, call: ServerCall) -> Status:
        read = result_of(self._tool, call)
        if not read.result.ok:
            own = read.result if call.state is CallState.SUCCEEDED else None
            return self.failed(read.code, read.reason, own)
        self.context.round = replace(self.context.round, result=read.result)
        return self.success('done')


def _is_expired(call: ServerCall | None) -> bool:
    return call is not None and call.state is CallState.EXPIRED
