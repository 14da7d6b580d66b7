"""Confirm the stop: it is sent again until the robot says that it stands."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.behaviours.safety.stop_the_base import repeat_stop
from bt_executive.tree.context import Brain


class ConfirmStop(Leaf):
    """Always succeeds, in every mode. See `StopConfirmation` for what confirms a stop."""

    def update(self) -> Status:
        """Looks at the state, and sends the stop again where it is due."""
        brain = self.brain
        waited_s = brain.stops.waited_s(brain.now.steady)
        told = brain.stops.pending is not None and brain.stops.pending.told
        if brain.stops.confirmed_by(brain.state.robot):
            if told:
                brain.tracer.emit('OBSERVE', f'The stop is confirmed after {waited_s:.1f} s')
            return self._show(False, 'stands')
        if brain.now.steady >= brain.stops.repeat_at():
            repeat_stop(brain)
        if brain.stops.tell(brain.now.steady):
            reason = (
                f'The stop is not confirmed after {waited_s:.1f} s: {why_not_confirmed(brain)}'
            )
            brain.tracer.emit(
                'ERROR', f'{reason}. It is sent again and again', ok=False, error_reason=reason
            )
        brain.ring_at(steady=brain.stops.repeat_at())
        return self._show(True, f'not confirmed: {why_not_confirmed(brain)}')

    def _show(self, stopping: bool, words: str) -> Status:
        robot = self.brain.state.robot
        if robot.stopping is not stopping:
            self.brain.replace(robot=replace(robot, stopping=stopping))
        return self.success(words)


def why_not_confirmed(brain: Brain) -> str:
    """What is missing to say that the robot stands."""
    robot, pending = brain.state.robot, brain.stops.pending
    heard = robot.heard_beat
    if robot.status_at is None or not brain.adapter_alive():
        return 'the adapter is silent'
    if pending and (heard is None or heard.sequence < pending.beat.sequence):
        return 'the adapter has not taken it yet'
    return 'the adapter says that the robot does not stand yet'
