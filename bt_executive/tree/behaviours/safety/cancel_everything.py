"""Cancel everything: what is not safe ends every goal and the tool that is under way."""

from __future__ import annotations

from bt_executive.tree import conditions, goal_transitions
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context_roles import GoalAccess


def cancel_everything(context: GoalAccess) -> str:
    """Ends all goals while it is not safe; returns why. Empty, and nothing is done: it is."""
    because = conditions.why_unsafe(context) or ''
    if because:
        goal_transitions.note_abort(context, because)
        goal_transitions.end_all(context, 'failed', because)
    return because


class CancelEverything(Leaf[GoalAccess]):
    """SUCCESS at once."""

    def update(self) -> Status:
        """Ends all goals."""
        return self.success(cancel_everything(self.context))
