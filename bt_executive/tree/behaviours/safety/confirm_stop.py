"""Repeats a stop until a younger status shows that the robot stands."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.behaviours.safety.stop_the_base import repeat_stop, stop_now
from bt_executive.tree.context_roles import ServerAccess, UpkeepAccess


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
