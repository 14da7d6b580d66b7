"""A guard that holds while its tool runs: asked again at every tick."""

from __future__ import annotations

from bt_executive.core.guard_verdict import GuardReading, refuses
from bt_executive.core.guards import Precondition
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.behaviours.tools.satisfy_precondition import SatisfyPrecondition
from bt_executive.tree.context_roles import RoundAccess


class Guard(Leaf[RoundAccess]):
    """SUCCESS while the precondition holds; FAILURE stops the tool below it, with the reason.

    What makes it true under policy `resolve` is its `helper`. While that one is at work nothing
    holds yet, whatever is seen: what looks closed may still be settling.
    """

    def __init__(
        self,
        context: RoundAccess,
        precondition: Precondition,
        helper: SatisfyPrecondition | None = None,
    ) -> None:
        super().__init__(precondition.question, context)
        self._precondition = precondition
        self._helper = helper
        self.refusal: GuardReading | None = None

    def update(self) -> Status:
        """Asks."""
        reading = self._precondition.read(self.context.guards.view_of_running())
        if reading.allowed and self._helper is not None and self._helper.at_work:
            reason = f'{self._helper.tool.name} is not done yet'
            reading = refuses(reading.guard, reason, reading.seen, passing=True)
        self.refusal = None if reading.allowed else reading
        if reading.allowed:
            return self.success('' if reading.seen in (None, []) else f'{reading.seen}')
        self.context.refuse(reading)
        return self.failure(reading.reason)
