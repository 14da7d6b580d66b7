"""Parks the active goal for a better one, or for the one that drives to the charger."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.goal_queue import better_task
from bt_executive.core.modes import task_to_charge
from bt_executive.core.state import Decision, DecisionType
from bt_executive.tree import goal_transitions
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import GoalAccess


class SwitchTask(Leaf[GoalAccess]):
    """SUCCESS at once: the branch below is preempted, and the next tick begins the goal."""

    def update(self) -> Status:
        context = self.context
        charges, active = task_to_charge(context.state), context.task
        better = charges or better_task(context.state.tasks.queue, active)
        if better is None or active is None:
            return self.failure('no better goal')
        reason = charges.title if charges else f'{better.goal} has priority {better.priority}'
        decision = Decision(DecisionType.SWITCH_TASK, reason)
        context.replace(react=replace(context.state.react, decision=decision))
        context.tracer.emit('DECIDE', f'Parked: {active.goal} ({reason})')
        goal_transitions.park_active(context)
        return self.success(reason)
