"""End what was asked for: every goal is ended with a reason, and a stop is served."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.core.observe import stop_served
from bt_executive.core.state import Outcome, UserInterruptType
from bt_executive.tree import goals
from bt_executive.tree.access import GoalAccess
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.facts import Facts


class EndGoals(Leaf[GoalAccess]):
    """SUCCESS at once. `because` gives the sentence that whoever asked for a goal gets."""

    def __init__(
        self,
        name: str,
        context: GoalAccess,
        outcome: Outcome,
        because: Callable[[Facts], str | None],
    ) -> None:
        super().__init__(name, context)
        self._outcome = outcome
        self._because = because

    def update(self) -> Status:
        """Ends all goals."""
        because = self._because(self.context) or ''  # the condition above it holds
        if self._outcome == 'failed':
            goals.note_abort(self.context, because)
        goals.end_all(self.context, self._outcome, because)
        hci = self.context.state.hci
        if hci.user_interrupt is UserInterruptType.STOP:
            self.context.replace(hci=stop_served(hci))
            self.context.tracer.emit('RESULT', because, ok=True)
        return self.success(because)
