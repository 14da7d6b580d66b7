"""The tool `abort`: the planner gives the goal up, with a reason."""

from __future__ import annotations

from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.behaviours.tools.internal import InternalTool


class GiveUp(InternalTool):
    """SUCCESS; the goal ends when stock is taken."""

    def update(self) -> Status:
        """Notes the reason."""
        reason = str(self.argument('reason'))
        self.brain.round.aborted = reason
        return self.done(reason)
