"""Ends goals with their reason: those that a stop found, and all of them while it is not safe."""

from __future__ import annotations

from bt_executive.core.reduce_operator_inputs import ended_by_stop, is_repeated_stop, stop_served
from bt_executive.tree import branch_conditions, goal_transitions
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.interrupted_round import note_abort


def cancel_everything(context: GoalAccess) -> str:
    """Ends all goals while it is not safe; returns why. Empty, and nothing is done: it is."""
    because = branch_conditions.why_unsafe(context) or ''
    if because:
        note_abort(context, because)
        goal_transitions.end_all(context, 'failed', because)
    return because


class CancelEverything(Leaf[GoalAccess]):
    """SUCCESS at once."""

    def update(self) -> Status:
        return self.success(cancel_everything(self.context))


def end_stopped_goals(context: GoalAccess) -> str:
    """Serves a stop that somebody wants; returns who. Empty, and nothing is done: nobody does."""
    because = branch_conditions.who_stops(context) or ''
    if because:
        ended, hci = ended_by_stop(context.state), context.state.hci
        goal_transitions.end_these(context, ended, 'interrupted', because)
        context.replace(hci=stop_served(hci))
        if ended or not is_repeated_stop(hci):
            context.tracer.emit('RESULT', because, ok=True)
    return because


class EndGoals(Leaf[GoalAccess]):
    """SUCCESS at once. A goal that came behind the stop waits for its turn."""

    def update(self) -> Status:
        """Ends the goals, and enters that the stop is served."""
        return self.success(end_stopped_goals(self.context))
