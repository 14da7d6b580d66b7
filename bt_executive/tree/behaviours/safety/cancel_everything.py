"""Cancel everything: what is not safe ends every goal and the tool that is under way."""

from __future__ import annotations

from bt_executive.tree import conditions, goals
from bt_executive.tree.access import GoalAccess
from bt_executive.tree.behaviours.leaf import Leaf, Status


class CancelEverything(Leaf[GoalAccess]):
    """SUCCESS at once."""

    def update(self) -> Status:
        """Ends all goals."""
        because = conditions.why_unsafe(self.context) or ''  # the condition above it holds
        goals.note_abort(self.context, because)
        goals.end_all(self.context, 'failed', because)
        return self.success(because)
