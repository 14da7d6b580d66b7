"""Drive for a while: wait until the proposed time is over."""

from __future__ import annotations

from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.brain import Brain
from bt_executive.ports import ToolResult
from bt_executive.skills.registry import Tool


class DriveFor(Leaf):
    """RUNNING for the seconds that the tool lasts, counted from the first tick."""

    def __init__(self, name: str, brain: Brain, tool: Tool) -> None:
        super().__init__(name, brain)
        self._tool = tool
        self._until = 0.0

    def initialise(self) -> None:
        """Sets the end."""
        proposal = self.brain.round.proposal
        seconds = self._tool.motion_seconds(proposal.arguments if proposal else {})
        self._until = self.brain.now + seconds
        self.brain.round.motion_until = self._until

    def update(self) -> Status:
        """Looks at the clock."""
        if self.brain.round.cut_short:
            return self._cut_short(self.brain.round.cut_short)
        left = self._until - self.brain.now
        if left > 0:
            self.brain.ring_at(self._until)
            return self.running(f'{left:.1f} s left')
        return self.success('time is over')

    def _cut_short(self, reason: str) -> Status:
        self.brain.round.error_code = 'LOST'
        self.brain.round.result = ToolResult(ok=False, error_reason=reason)
        return self.failure(reason)
