"""Hold until reset: stay in SAFE."""

from __future__ import annotations

from bt_executive.tree import goal_transitions
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context_roles import GoalAccess


class HoldUntilReset(Leaf[GoalAccess]):
    """RUNNING for as long as SAFE is latched."""

    def update(self) -> Status:
        """Goals that come meanwhile are refused."""
        reason = self.context.state.world.safety_reason
        goal_transitions.end_all(self.context, 'failed', f'{reason}: reset first')
        return self.running(f'{reason}; waiting for reset')
