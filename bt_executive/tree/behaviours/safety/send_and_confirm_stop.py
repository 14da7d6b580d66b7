"""Sends the stop of the base or of another motion, and confirms that the robot stands.

A stop is sent in the tick that decides it, and repeated until a younger status shows that the
robot stands. Also after a kill: what a previous run may have left moving is stopped in this run's
first tick.
"""

from __future__ import annotations

from py_trees.common import Status

from bt_executive.core.reduce_operator_inputs import is_repeated_stop
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.context_roles import ServerAccess, UpkeepAccess
from rover_common.config.settings import Endpoint
from rover_common.dataclass_replace import replace

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
        why = context.stops.why_not_confirmed(context.state.robot, context.adapter_alive())
        if context.stops.report_due(context.now.steady):
            reason = f'The stop is not confirmed after {waited_s:.1f} s: {why}'
            context.tracer.emit(
                'ERROR', f'{reason}. It is sent again and again', ok=False, error_reason=reason
            )
        context.wake_at(steady=context.stops.repeat_at())
        return self._show(True, f'not confirmed: {why}')

    def _show(self, stopping: bool, message: str) -> Status:
        robot = self.context.state.robot
        if robot.stopping is not stopping:
            self.context.replace(robot=replace(robot, stopping=stopping))
        return self.success(message)
