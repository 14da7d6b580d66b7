"""See to it: under policy `resolve`, the tree makes a precondition true before the tool starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.behaviours.tools.satisfy_precondition import SatisfyPrecondition
from bt_executive.tree.context_roles import RoundAccess, ToolAccess
from rover_common.config.settings import PartCondition

SEEN_WITHIN_S = 2.0


class ResolvePrecondition(SatisfyPrecondition):
    """Stands beside the guard that has refused, and never succeeds: the guard does, once it sees.

    RUNNING while the resolving tool works, and until the state shows what it has done. FAILURE
    when it could not do it, when the state does not show it in time, and when the tool below runs
    already: then a precondition has broken in the middle, and the guard's refusal ends the tool.
    """

    def __init__(self, name: str, context: ToolAccess, tool: Tool, precondition: str) -> None:
        super().__init__(name, context, tool)
        self._rounds: RoundAccess = context
        self._changes = _on_the_same_parts(precondition, context.config.robot.guards)
        self._done_at: float | None = None

    def initialise(self) -> None:
        """Nothing is done yet."""
        super().initialise()
        self._done_at = None

    def update(self) -> Status:
        """Works, then waits for the state; the guard's refusal does not count meanwhile."""
        if self.context.round.ran:
            return self.failure('the tool has started already')
        status = super().update() if self._done_at is None else self._wait(self._done_at)
        if status is Status.SUCCESS:
            self._done_at = self.context.now.steady
            resolved = self.context.round.resolved | self._changes
            self._rounds.round = replace(self.context.round, resolved=resolved)
            status = self._wait(self._done_at)
        if status is Status.RUNNING:
            self._rounds.round = replace(self.context.round, verdict=None)
        return status

    def _wait(self, done_at: float) -> Status:
        if self.context.now.steady - done_at >= SEEN_WITHIN_S:
            return self.failure(f'{self.tool.name} succeeded, but nothing is seen of it')
        self.context.wake_at(steady=done_at + SEEN_WITHIN_S)
        return self.running(f'{self.tool.name} succeeded; waiting until it is seen')


def _on_the_same_parts(name: str, known: Mapping[str, PartCondition]) -> frozenset[str]:
    """The precondition, and those that look at a part that it looks at."""
    fields = {*known[name].fields} if name in known else set()
    return frozenset({name, *(each for each in known if fields & {*known[each].fields})})
