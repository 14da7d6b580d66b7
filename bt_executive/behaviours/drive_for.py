"""Drive for a while: wait until the proposed time is over."""

from __future__ import annotations

from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.brain import Brain
from bt_executive.ports import ToolResult
from bt_executive.skills.registry import Tool

# Steady s; a start that was confirmed later than that did not begin when it was asked for.
PROMPT_S = 0.25


class DriveFor(Leaf):
    """RUNNING for the seconds of the robot's time that the tool lasts.

    Start and stop go the same way to the robot and need as long for it. So the time from request
    to request is counted, not from the answer: fast simulated time passes while that comes back.
    While the robot drives, the guards are asked in each period of its own time, too.
    """

    def __init__(self, name: str, brain: Brain, tool: Tool) -> None:
        super().__init__(name, brain)
        self._tool = tool
        self._until = 0.0

    def initialise(self) -> None:
        """Sets the end."""
        proposal = self.brain.round.proposal
        seconds = self._tool.motion_seconds(proposal.arguments if proposal else {})
        now, asked = self.brain.now, self.brain.round.asked_at
        prompt = asked is not None and now.steady - asked.steady <= PROMPT_S
        self._until = (asked if asked is not None and prompt else now).robot + seconds
        self.brain.round.motion_until = self._until

    def update(self) -> Status:
        """Looks at the clock."""
        if self.brain.round.cut_short:
            return self._cut_short(self.brain.round.cut_short)
        now = self.brain.now.robot
        left = self._until - now
        if left > 0:
            period = self.brain.config.executive.tick.period_s
            self.brain.ring_at(robot=min(self._until, now + period))
            return self.running(f'{left:.1f} s left')
        return self.success('time is over')

    def _cut_short(self, reason: str) -> Status:
        self.brain.round.error_code = 'LOST'
        self.brain.round.result = ToolResult(ok=False, error_reason=reason)
        return self.failure(reason)
