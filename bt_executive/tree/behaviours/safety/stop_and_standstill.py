"""Stops the base or another motion until the robot is known to stand.

A stop is sent in the tick that decides it, and repeated until a younger status shows that the
robot stands. Also after a kill: what a previous run may have left moving is stopped in this run's
first tick. A robot that moves undriven is reported.
"""

from __future__ import annotations

import math

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.error_codes import CallError, ended_by
from bt_executive.core.reduce_operator_inputs import is_repeated_stop
from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import Leaf, PassingDecorator, ToolLeaf
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import ServerAccess, ToolAccess, UpkeepAccess
from rover_common.config.settings import Endpoint
from rover_common.dataclass_replace import replace
from rover_common.permit import EndingCode

STOP_TIMEOUT_S = 2.0


def send_stop(context: ServerAccess, call_id: str, endpoint: Endpoint | None = None) -> str:
    """Send a stop, and withdraw the permits. Needs no lease.

    `endpoint`: of a motion that is not the base's; without it the base is stopped, which
    `ConfirmStop` sees to. Returns the id of the stop's call.
    """
    if endpoint is not None:
        server_call_id = _open(context, call_id, endpoint.name, endpoint)
        context.robot.send(server_call_id, endpoint, {})
        context.permits.withdraw()
        return server_call_id
    server_call_id = _ask(context, call_id, past_the_adapter=not context.adapter_alive())
    context.stops.sent(context.permits.withdraw(), context.now.steady)
    return server_call_id


def stop_now(context: ServerAccess) -> None:
    """Send a stop that belongs to no tool; `CleanUpCancelledCalls` awaits its response."""
    call_id = _loose_call(context)
    send_stop(context, call_id)
    context.calls.finish_call(call_id)


def repeat_stop(context: ServerAccess) -> None:
    """Repeat an unconfirmed stop: to the adapter, and past it to the robot."""
    call_id = _loose_call(context)
    context.permits.withdraw()
    context.stops.sent_again(context.now.steady)
    for past_the_adapter in (False, True):
        _ask(context, call_id, past_the_adapter, quiet=True)
    context.calls.finish_call(call_id)


class StopTheBase(Leaf[ServerAccess]):
    """SUCCESS once the request is sent; `ConfirmStop` does the rest."""

    def update(self) -> Status:
        stop_now(self.context)
        if not is_repeated_stop(self.context.state.hci):
            self.context.tracer.emit('ACT', 'Stop the base', tool_name='move_stop')
        return self.success('stop sent')


def _loose_call(context: ServerAccess) -> str:
    return context.call_id('stop', f'{context.now.steady:.3f}')


def _ask(context: ServerAccess, call_id: str, past_the_adapter: bool, quiet: bool = False) -> str:
    server_call_id = _open(context, call_id, 'the stop of the base', None, quiet)
    context.robot.stop(server_call_id, past_the_adapter=past_the_adapter)
    return server_call_id


def _open(
    context: ServerAccess, call_id: str, label: str, endpoint: Endpoint | None, quiet: bool = False
) -> str:
    call = context.calls.open(call_id, label, context.now, STOP_TIMEOUT_S, endpoint, quiet=quiet)
    context.calls.sent(call.server_call_id)
    return call.server_call_id


class ConfirmStop(Leaf[UpkeepAccess]):
    """Always SUCCESS, in every mode. See `StopConfirmation`."""

    def update(self) -> Status:
        """Checks the state, and repeats the stop when it is due."""
        context = self.context
        if context.stops.owed:
            stop_now(context)
            message = 'Stop the base: it may still move since before the restart'
            context.tracer.emit('ACT', message, tool_name='move_stop')
        waited_s = context.stops.waited_s(context.now.steady)
        was_reported = context.stops.pending is not None and context.stops.pending.reported
        if context.stops.confirmed_by(context.state.robot):
            if was_reported:
                context.tracer.emit('OBSERVE', f'The stop is confirmed after {waited_s:.1f} s')
            stands = context.state.robot.stands
            return self._show(False, 'stands' if stands else 'no stop to confirm')
        if context.now.steady >= context.stops.repeat_at():
            repeat_stop(context)
        if context.stops.report_due(context.now.steady):
            reason = (
                f'The stop is not confirmed after {waited_s:.1f} s: {why_not_confirmed(context)}'
            )
            context.tracer.emit(
                'ERROR', f'{reason}. It is sent again and again', ok=False, error_reason=reason
            )
        context.wake_at(steady=context.stops.repeat_at())
        return self._show(True, f'not confirmed: {why_not_confirmed(context)}')

    def _show(self, stopping: bool, message: str) -> Status:
        robot = self.context.state.robot
        if robot.stopping is not stopping:
            self.context.replace(robot=replace(robot, stopping=stopping))
        return self.success(message)


def why_not_confirmed(context: ServerAccess) -> str:
    """Return why the stop is not confirmed."""
    robot, pending = context.state.robot, context.stops.pending
    heartbeat = robot.heard_beat
    if robot.status_at is None or not context.adapter_alive():
        return 'the adapter is silent'
    if pending and (heartbeat is None or not heartbeat.number.reaches(pending.heartbeat.number)):
        return 'the adapter has not received it yet'
    return robot.standing_unknown or 'the adapter says that the robot does not stand yet'


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
        by_state = '' if self._motion.stop_endpoint else why_not_confirmed(self.context)
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


NOT_STANDING_S = 1.0  # shorter gaps between two measurements are not reported
UNDRIVEN = 'The robot moves, or a stop has no answer yet, and no tool drives it'


class StandstillMonitor:
    """Reports an unknown standstill once it lasts, and its end."""

    def __init__(self) -> None:
        self._since = math.inf  # steady s
        self._reported = False

    def update(self, context: Context) -> None:
        """Compares the present state with the latest report."""
        why = _why_not_standing(context)
        self._since = min(self._since, context.now.steady) if why else math.inf
        lasts = context.now.steady - self._since >= NOT_STANDING_S
        if why and not lasts:
            context.wake_at(steady=self._since + NOT_STANDING_S)
        elif lasts and not self._reported:
            self._reported = True
            context.tracer.emit('ERROR', why, ok=False, error_reason=why)
        elif self._reported and context.state.robot.stands:
            self._reported = False
            context.tracer.emit('OBSERVE', 'The robot stands')


def _why_not_standing(context: Context) -> str:
    """Return why an undriven robot is not known to stand; empty: it stands, or is driven.

    `ConfirmStop` reports an unconfirmed stop.
    """
    robot = context.state.robot
    drives = 'base' in context.holders or context.permits.current.number
    if context.stops.pending is not None or drives:
        return ''
    if robot.standing_unknown or robot.at_rest is not False or robot.moving is None:
        return robot.standing_unknown
    return UNDRIVEN
