"""Stops the motion of a tool on every way out, and sees that the robot stands again."""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.error_codes import CallError, ended_by
from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import PassingDecorator, ToolLeaf
from bt_executive.tree.behaviours.safety.send_and_confirm_stop import send_stop
from bt_executive.tree.context_roles import ServerAccess, ToolAccess
from rover_common.permit import EndingCode

BY_ITSELF = frozenset({EndingCode.HALTED.value, EndingCode.GAP.value})  # ended by the adapter
PATIENCE_S = 5.0  # of steady time, for the confirmation of the stop


class StopOnExit(PassingDecorator):
    """Passes its child's status on and sends a stop on every way out.

    Success, failure, preemption and an exception elsewhere all end in `terminate`; py_trees calls
    it exactly when the decorator leaves RUNNING or is interrupted.
    """

    def __init__(self, name: str, context: ServerAccess, tool: Tool, child: Behaviour) -> None:
        super().__init__(name=name, child=child)
        self.context = context
        base, _ = stop_endpoints(context.config)
        self.stop_endpoint = tool.stop if tool.stop != base else None
        self.stop_server_call_id = ''
        self.permit = 0  # of the motion that was stopped
        self._gate = tool.skill.gate
        self._call_id = ''
        self._driving = False

    def initialise(self) -> None:
        """Notes that a motion may run from now on."""
        self._driving = True
        self.stop_server_call_id = ''
        self._call_id = self.context.round.call_id

    def terminate(self, _new_status: Status) -> None:
        """Sends the stop, once for each motion."""
        if self._driving:
            self._driving = False
            self.permit = self.context.permits.at(self._gate).number
            self.stop_server_call_id = send_stop(self.context, self._call_id, self.stop_endpoint)


class StandsAgain(ToolLeaf[ToolAccess]):
    """SUCCESS when the stop of a motion was confirmed, and the motion had lasted until then.

    The base stands when the state shows it (`ConfirmStop`); any other motion has ended when the
    service that ends it has said so.
    """

    def __init__(self, name: str, context: ToolAccess, motion: StopOnExit) -> None:
        super().__init__(name, context)
        self._motion = motion

    def update(self) -> Status:
        call = self.context.calls.get(self._motion.stop_server_call_id)
        refusal = _refusal(call)
        if refusal is not None:
            return self._unconfirmed(refusal)
        if self._motion.stop_endpoint is not None:
            done = call is not None and call.state is CallState.SUCCEEDED
            return self._evaluate(call is not None and call.ended, done, call)
        pending = self.context.stops.pending
        over = pending is None or self.context.now.silent_for(pending.since) >= PATIENCE_S
        return self._evaluate(over, pending is None, call)

    def _evaluate(self, over: bool, confirmed: bool, call: ServerCall | None) -> Status:
        if not over:
            return self.running('waiting for the stop to be confirmed')
        if confirmed:
            return self._how_it_ended()
        by_state = ''
        if not self._motion.stop_endpoint:
            context = self.context
            robot, is_alive = context.state.robot, context.adapter_alive()
            by_state = context.stops.why_not_confirmed(robot, is_alive)
        return self._unconfirmed(by_state or (call.reason if call else '') or 'no answer')

    def _how_it_ended(self) -> Status:
        ending = self.context.permits.ending(self._motion.permit, self.context.state.robot)
        if ending is not None and ending.code in BY_ITSELF:
            return self.failed(ended_by(ending), ending.reason)
        return self.success('stands')

    def _unconfirmed(self, why: str) -> Status:
        return self.failed(CallError.FAILED, f'The stop was not confirmed: {why}')


def _refusal(call: ServerCall | None) -> str | None:
    """Return why the stop was refused; None: it was not (an Empty service has no reason)."""
    fields = (call.fields if call else None) or {}
    if fields.get('success') is not False:
        return None
    return str(fields.get('message') or 'no reason')
