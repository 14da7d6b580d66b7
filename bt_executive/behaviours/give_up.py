"""The tool `abort`: the planner gives the goal up, with a reason."""

from __future__ import annotations

from bt_executive.behaviours.internal import InternalTool
from bt_executive.behaviours.leaf import Status


class GiveUp(InternalTool):
    """SUCCESS; the goal ends when stock is taken."""

    def update(self) -> Status:
        """Notes the reason."""
        reason = str(self.argument('reason'))
        self.brain.round.aborted = reason
        return self.done(reason)
