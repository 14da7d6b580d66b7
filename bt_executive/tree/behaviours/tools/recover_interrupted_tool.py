"""Finds out what became of the tool that was under way when the executive ended."""

from __future__ import annotations

import math
from typing import TypeGuard

from py_trees.common import Status

from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.guards import holds
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.behaviours.safety.answered_lost_and_cancelled_calls import (
    CallResult,
    result_of,
)
from bt_executive.tree.behaviours.tools.recover_interrupted_composite import (
    Continuation,
    RecoverMembers,
    lost_result,
)
from bt_executive.tree.confirm_and_note_tool_results import (
    CONFIRM_WAIT_S,
    ITS_RESULT_IS_LOST,
    current_parts,
    restarted_during,
)
from bt_executive.tree.context_roles import ToolAccess
from bt_executive.tree.driven_before_restart import count_driven_before, moved_by_pose
from bt_executive.tree.persistent_state import Recovery
from rover_common.dataclass_replace import replace

UNKNOWN_ENDS = frozenset({CallState.LOST, CallState.TIMED_OUT, CallState.CANCELLED})


class RecoverCall(Leaf[ToolAccess]):
    """SUCCESS when the outcome of the interrupted tool is found; the round then has its result.

    An action that its server still has gives its own result. Otherwise the tool's postcondition
    or the distance that the robot has moved shows the outcome, or it is reported as lost. A
    driving robot was stopped before (`ConfirmStop`). Nothing is sent again.

    FAILURE when a composite has not ended: the rest of it is the proposal of a new round, which
    is checked and approved like any other.
    """

    def __init__(self, name: str, context: ToolAccess) -> None:
        super().__init__(name, context)
        self._since = self._until = 0.0
        self._ended_at = math.inf  # of the last server call, steady s
        self._members: RecoverMembers | None = None

    def initialise(self) -> None:
        """Sets the time limit for the servers and the state to show the outcome."""
        context, recovery = self.context, self.context.recovery
        self._since, self._ended_at = context.now.steady, math.inf
        self._until = self._since + context.config.executive.guards.server_wait_s
        if recovery is not None:
            self._members = RecoverMembers(context, recovery, self._by_call)

    def update(self) -> Status:
        """Waits for the servers' final responses, then determines the outcome."""
        recovery = self.context.recovery
        if recovery is None or self.context.round.result is not None:
            return self.success('known')
        if self._members is not None:
            self._members.cut_short(self._waited_s)
        for server_call_id in recovery.server_call_ids:
            call = self.context.calls.get(server_call_id)
            if call is not None and not call.ended and not self._is_unresponsive(call):
                if self.context.now.steady < self._until:
                    self.context.wake_at(steady=self._until)
                return self.running(f'waiting for {call.label}')
        self._ended_at = min(self._ended_at, self.context.now.steady)
        found = self._find_out(recovery) if self._pose_is_known(recovery) else None
        if found is None:
            if self.context.now.steady < self._until:
                self.context.wake_at(steady=self._until)
            return self.running('finding out what became of it')
        count_driven_before(self.context, recovery)
        if isinstance(found, Continuation):
            return self._continue(found)
        result = self._explained(found)
        self.context.round = replace(
            self.context.round, result=result, error_code=found.code or None
        )
        return self.success(result.error_reason or 'done')

    def _is_unresponsive(self, call: ServerCall) -> bool:
        """Gives up a call whose server does not even respond whether it has the goal.

        The server may still run it, so it is cancelled: it is silent until it has ended it.
        """
        calls, now = self.context.calls, self.context.now
        if call.state is not CallState.SENT or now.steady < self._until:
            return False
        calls.cancel(call.server_call_id, now, 0.0)
        reason = f'{call.label} does not say what became of it'
        return calls.expire(call.server_call_id, now, 0.0, reason)

    @property
    def _waited_s(self) -> float:
        return self.context.now.steady - self._since

    def _continue(self, found: Continuation) -> Status:
        """Proposes the composite again, with its progress."""
        tool = self.context.round.tool
        sentence = f'{tool} goes on after the restart: {found.summary}'
        self.context.go_on_with(found.composites)
        self.context.tracer.emit('OBSERVE', sentence, tool_name=tool)
        return self.failure(sentence)

    def _find_out(self, recovery: Recovery) -> CallResult | Continuation | None:
        """Returns the outcome; None: it may show later."""
        context, tool = self.context, self.context.proposed_tool
        if context.now.steady < self._until and context.stops.pending is not None:
            return None
        if tool is None:  # only the distance that it drove is known
            gone = self._by_pose(recovery)
            reason = f'{gone.reason}; there is no tool {context.round.tool} any more'
            return replace(gone, result=replace(gone.result, error_reason=reason))
        if self._members is None or tool.skill.plan is None:
            word = None if tool.waits_for_postcondition else context.round.last_word
            known = CallResult(word) if word else None
            found = known or self._by_call(tool, self._main(recovery, tool))
            by_pose = _is_lost(found) and tool.drives and not tool.skill.postcondition
            return self._by_pose(recovery) if by_pose else found
        shown_by = max(self._until, self._ended_at + CONFIRM_WAIT_S)
        context.wake_at(steady=shown_by)
        whole = self._members.find_outcome(tool, self._waited_s, context.now.steady >= shown_by)
        if not _is_lost(whole) or not tool.drives:
            return whole
        moved = self._by_pose(recovery)
        return lost_result(
            f'{whole.reason}; {moved.reason}', {**whole.result.data, **moved.result.data}
        )

    def _by_call(self, tool: Tool, call: ServerCall | None) -> CallResult | None:
        """Returns the outcome by the server, or by the postcondition; None: it may show later."""
        is_evidence = tool.skill.motion is None and not tool.waits_for_postcondition
        if call is not None and is_evidence and call.state not in UNKNOWN_ENDS:
            return result_of(tool, call)
        if tool.skill.postcondition:
            return self._by_postcondition(tool)
        return lost_result(ITS_RESULT_IS_LOST, {})

    def _main(self, recovery: Recovery, tool: Tool) -> ServerCall | None:
        """Returns the tool's own server call, of this run or the previous one."""
        for call in recovery.calls:
            if tool.endpoint is not None and call.label == tool.endpoint.name:
                return self.context.calls.get(call.server_call_id) or call
        return None

    def _by_postcondition(self, tool: Tool) -> CallResult | None:
        """Returns the outcome by the tool's postcondition; None: it may show later."""
        where, parts = tool.skill.postcondition, current_parts(self.context)
        data = {field: parts.get(field) for field in where}
        if holds(where, self.context.config.robot.types, parts):
            return CallResult(ToolResult(ok=True, data={**data, 'seen_after_a_restart': True}))
        if self.context.now.steady < self._until:
            return None
        seen = ', '.join(
            f'{field} is {value}' for field, value in data.items() if value is not None
        )
        return lost_result(seen or f'{", ".join(data)}: not known', data)

    def _pose_is_known(self, recovery: Recovery) -> bool:
        """Returns whether the distance driven can be counted, or not in time."""
        late = self.context.now.steady >= self._until
        return late or recovery.pose is None or self.context.state.robot.pose_at is not None

    def _by_pose(self, recovery: Recovery) -> CallResult:
        """Returns a lost result with the distance that the robot has moved."""
        return lost_result(*moved_by_pose(self.context, recovery))

    def _explained(self, found: CallResult) -> ToolResult:
        """Returns the result; a lost one with the reason."""
        if not _is_lost(found):
            return found.result
        reason = restarted_during(self.context.round.tool, found.reason)
        return replace(found.result, error_reason=reason)


def _is_lost(found: CallResult | Continuation | None) -> TypeGuard[CallResult]:
    return isinstance(found, CallResult) and found.code == CallError.RESTARTED.value
