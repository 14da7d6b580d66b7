"""End what was asked for: every goal is ended with a reason, and the interrupt is served."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bt_executive.core.state import Outcome, UserInterruptType
from bt_executive.tree import goals
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context import Brain


class EndGoals(Leaf):
    """SUCCESS at once. `because` gives the sentence that whoever asked for a goal gets."""

    def __init__(
        self, name: str, brain: Brain, outcome: Outcome, because: Callable[[Brain], str | None]
    ) -> None:
        super().__init__(name, brain)
        self._outcome = outcome
        self._because = because

    def update(self) -> Status:
        """Ends all goals."""
        because = self._because(self.brain) or ''  # the condition above it holds
        if self._outcome == 'failed':
            goals.note_abort(self.brain, because)
        goals.end_all(self.brain, self._outcome, because)
        hci = self.brain.state.hci
        if hci.user_interrupt is not UserInterruptType.NONE:
            self.brain.replace(hci=replace(hci, user_interrupt=UserInterruptType.NONE))
            self.brain.tracer.emit('RESULT', because, ok=True)
        return self.success(because)
