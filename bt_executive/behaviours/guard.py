"""A guard that holds while its tool runs: asked again at every tick."""

from __future__ import annotations

from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.brain import Brain
from bt_executive.kernel.guards import Precondition
from bt_executive.kernel.verdict import GuardReading


class Guard(Leaf):
    """SUCCESS while the precondition holds; FAILURE stops the tool below it, with the reason."""

    def __init__(self, brain: Brain, precondition: Precondition) -> None:
        super().__init__(precondition.question, brain)
        self._precondition = precondition
        self.refusal: GuardReading | None = None

    def update(self) -> Status:
        """Asks."""
        reading = self.brain.as_set(self._precondition).read(self.brain.view())
        self.refusal = None if reading.allowed else reading
        if reading.allowed:
            return self.success('' if reading.seen in (None, []) else f'{reading.seen}')
        self.brain.refuse(reading)
        return self.failure(reading.reason)
