"""Switch to a better goal: the active one is parked with all it has come to."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.queue import better_task
from bt_executive.core.state import Decision, DecisionType
from bt_executive.tree import goals
from bt_executive.tree.behaviours.leaf import Leaf, Status


class SwitchTask(Leaf):
    """SUCCESS at once: the branch below is preempted, and the next tick takes the goal up."""

    def update(self) -> Status:
        """Parks the active task."""
        brain = self.brain
        better, active = better_task(brain.state.tasks), brain.task
        if better is None or active is None:
            return self.failure('no better goal')
        reason = f'{better.goal} has priority {better.priority}'
        decision = Decision(DecisionType.SWITCH_TASK, reason)
        brain.replace(react=replace(brain.state.react, decision=decision))
        brain.tracer.emit('DECIDE', f'Parked: {active.goal} ({reason})')
        goals.park_active(brain)
        return self.success(reason)
