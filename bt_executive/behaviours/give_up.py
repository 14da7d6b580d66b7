"""The planner's tool `abort`: it gives the goal up, with a reason."""

from __future__ import annotations

from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.ports import ToolResult


class GiveUp(Leaf):
    """SUCCESS; the goal ends when stock is taken."""

    def update(self) -> Status:
        """Notes the reason."""
        proposal = self.brain.round.proposal
        reason = str(proposal.arguments.get('reason', '')) if proposal else ''
        self.brain.round.aborted = reason or 'The planner gave no reason'
        self.brain.round.result = ToolResult(ok=True)
        return self.success(reason)
