"""Hold until reset: stay in SAFE, and send the stop again while the rover still moves."""

from __future__ import annotations

from bt_executive import goals
from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.behaviours.stop_the_base import STOP_TIMEOUT_S, stop_now
from bt_executive.brain import Brain


class HoldUntilReset(Leaf):
    """RUNNING for as long as SAFE is latched."""

    def __init__(self, name: str, brain: Brain) -> None:
        super().__init__(name, brain)
        self._stopped_at = 0.0

    def initialise(self) -> None:
        """The branch has just sent a stop."""
        self._stopped_at = self.brain.now.steady

    def update(self) -> Status:
        """Looks whether the rover stands; goals that come meanwhile are refused."""
        reason = self.brain.state.world.safety_reason
        goals.end_all(self.brain, 'failed', f'{reason}: reset first')
        now = self.brain.now.steady
        if self.brain.state.robot.moving and now - self._stopped_at >= STOP_TIMEOUT_S:
            self._stopped_at = now
            stop_now(self.brain)
        return self.running(f'{reason}; waiting for reset')
