"""Ends goals with a reason: those that a stop ends, and all in SAFE."""

from __future__ import annotations

from bt_executive.core.reduce_operator_inputs import ended_by_stop, is_repeated_stop, stop_served
from bt_executive.tree import branch_conditions, goal_transitions
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.interrupted_round import note_abort


def cancel_everything(context: GoalAccess) -> str:
    """End all goals in SAFE; returns its reason. Empty, and nothing is done: it is not SAFE."""
    reason = branch_conditions.why_unsafe(context) or ''
    if reason:
        note_abort(context, reason)
        goal_transitions.end_all(context, 'failed', reason)
    return reason


class CancelEverything(Leaf[GoalAccess]):
    """SUCCESS at once."""

    def update(self) -> Status:
        return self.success(cancel_everything(self.context))


def end_stopped_goals(context: GoalAccess) -> str:
    """Serve a requested stop; returns its source. Empty, and nothing is done: there is none."""
    reason = branch_conditions.stop_source(context) or ''
    if reason:
        ended, hci = ended_by_stop(context.state), context.state.hci
        goal_transitions.end_these(context, ended, 'interrupted', reason)
        context.replace(hci=stop_served(hci))
        if ended or not is_repeated_stop(hci):
            context.tracer.emit('RESULT', reason, ok=True)
    return reason


class EndGoals(Leaf[GoalAccess]):
    """SUCCESS at once. A goal that arrived after the stop stays in the queue."""

    def update(self) -> Status:
        """Ends the goals, and marks the stop as served."""
        return self.success(end_stopped_goals(self.context))
