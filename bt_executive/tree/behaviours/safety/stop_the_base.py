"""Stops the base in the tick that decides it; `confirm_stop.py` sees to it until the robot stands.

Also after a kill: what a previous run may have left moving is stopped in this run's first tick.
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.error_codes import CallError, ended_by
from bt_executive.core.operator_inputs import is_repeated_stop
from bt_executive.skills.stop_endpoints import stop_endpoints
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.behaviours.safety.confirm_stop import why_not_confirmed
from bt_executive.tree.context_roles import ServerAccess, ToolAccess
from bt_executive.tree.ticking import PassingDecorator
from rover_common.config.settings import Endpoint
from rover_common.permit import EndingCode

STOP_TIMEOUT_S = 2.0


def send_stop(context: ServerAccess, call_id: str, endpoint: Endpoint | None = None) -> str:
    """Sends a stop, and withdraws the permission to move. Needs no lease.

    `endpoint`: of a motion that is not the base's; without it the base is stopped, which
    `ConfirmStop` sees to. Returns the id of the stop's call.
    """
    if endpoint is not None:
        session_id = _open(context, call_id, endpoint.name, endpoint)
        context.robot.send(session_id, endpoint, {})
        context.permits.withdraw()
        return session_id
    session_id = _ask(context, call_id, past_the_adapter=not context.adapter_alive())
    context.stops.sent(context.permits.withdraw(), context.now.steady)
    return session_id


def stop_now(context: ServerAccess) -> None:
    """Sends a stop that belongs to no tool; `CleanUpCancelledCalls` awaits its answer."""
    call_id = _loose_call(context)
    send_stop(context, call_id)
    context.calls.finish_call(call_id)


def repeat_stop(context: ServerAccess) -> None:
    """Sends a stop that is not confirmed again: to the adapter, and past it to the robot."""
    call_id = _loose_call(context)
    context.permits.withdraw()
    context.stops.sent_again(context.now.steady)
    for past_the_adapter in (False, True):
        _ask(context, call_id, past_the_adapter, quiet=True)
    context.calls.finish_call(call_id)


class StopTheBase(Leaf[ServerAccess]):
    """SUCCESS as soon as the request is out; `ConfirmStop` sees to the rest."""

    def update(self) -> Status:
        """Sends the stop."""
        stop_now(self.context)
        if not is_repeated_stop(self.context.state.hci):
            self.context.tracer.emit('ACT', 'Stop the base', tool_name='move_stop')
        return self.success('stop sent')


def _loose_call(context: ServerAccess) -> str:
    return context.call_id('stop', f'{context.now.steady:.3f}')


def _ask(context: ServerAccess, call_id: str, past_the_adapter: bool, quiet: bool = False) -> str:
    session_id = _open(context, call_id, 'the stop of the base', None, quiet)
    context.robot.stop(session_id, past_the_adapter=past_the_adapter)
    return session_id


def _open(
    context: ServerAccess, call_id: str, label: str, endpoint: Endpoint | None, quiet: bool = False
) -> str:
    call = context.calls.open(call_id, label, context.now, STOP_TIMEOUT_S, endpoint, quiet=quiet)
    context.calls.sent(call.session_id)
    return call.session_id


BY_ITSELF = frozenset({EndingCode.HALTED.value, EndingCode.GAP.value})  # the adapter's doing
PATIENCE_S = 5.0  # of steady time, for the word that the robot stands


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
        self.stop_session = ''
        self.permit = 0  # of the motion that was stopped
        self._gate = tool.skill.gate
        self._call_id = ''
        self._driving = False

    def initialise(self) -> None:
        """A motion may be under way from here on."""
        self._driving = True
        self.stop_session = ''
        self._call_id = self.context.round.call_id

    def terminate(self, _new_status: Status) -> None:
        """Sends the stop, once for each motion."""
        if self._driving:
            self._driving = False
            self.permit = self.context.permits.at(self._gate).number
            self.stop_session = send_stop(self.context, self._call_id, self.stop_endpoint)


class StandsAgain(Leaf[ToolAccess]):
    """SUCCESS when the stop of a motion was confirmed, and the motion had lasted until then.

    The base stands when the state shows it (`ConfirmStop`); any other motion has ended when the
    service that ends it has said so.
    """

    def __init__(self, name: str, context: ToolAccess, motion: StopOnExit) -> None:
        super().__init__(name, context)
        self._motion = motion

    def update(self) -> Status:
        """Looks for the confirmation."""
        call = self.context.calls.get(self._motion.stop_session)
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
        by_state = '' if self._motion.stop_endpoint else why_not_confirmed(self.context)
        return self._unconfirmed(by_state or (call.reason if call else '') or 'no answer')

    def _how_it_ended(self) -> Status:
        ending = self.context.permits.ending(self._motion.permit, self.context.state.robot)
        if ending is not None and ending.code in BY_ITSELF:
            return self._failed(ended_by(ending), ending.reason)
        return self.success('stands')

    def _unconfirmed(self, why: str) -> Status:
        return self._failed(CallError.FAILED, f'The stop was not confirmed: {why}')

    def _failed(self, code: CallError, reason: str) -> Status:
        self.context.fail(code.value, reason)
        return self.failure(reason)


def _refusal(call: ServerCall | None) -> str | None:
    """Why the stop was answered with no; None if it was not (an Empty service says nothing)."""
    fields = (call.fields if call else None) or {}
    if fields.get('success') is not False:
        return None
    return str(fields.get('message') or 'no reason')
