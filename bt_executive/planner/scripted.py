"""A planner that proposes what it was given: for trees and tests that need no model."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bt_executive.core.ports import (
    ModelUse,
    PlannerContext,
    PlannerFailure,
    PlannerNews,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from rover_common.errors import ProtocolError


def _nobody() -> None:
    """Wakes nobody."""


class ScriptedPlanner:
    """Gives its outputs in order: one right after `start`, one right after each `give`.

    The script goes on over several goals. When it is at its end the planner fails with a reason.

    Attributes:
        started: Every goal with its context, in order.
        results: Every result that was given, in order.
        cancelled: How many goals under way were cancelled.
    """

    def __init__(
        self, outputs: Iterable[PlannerOutput], wake: Callable[[], None] = _nobody
    ) -> None:
        self._script = iter(outputs)
        self._wake = wake
        self._next: PlannerOutput | None = None
        self._awaits_result = False
        self._active = False
        self.started: list[tuple[str, PlannerContext]] = []
        self.results: list[ToolResult] = []
        self.cancelled = 0

    def start(self, goal: str, context: PlannerContext) -> None:
        """See `Planner.start`."""
        self.cancel()
        self.started.append((goal, context))
        self._active = True
        self._advance()

    def poll(self) -> PlannerOutput | None:
        """See `Planner.poll`."""
        output, self._next = self._next, None
        if output is not None:
            self._awaits_result = self._active = isinstance(output, Proposal)
        return output

    def give(self, result: ToolResult) -> None:
        """See `Planner.give`."""
        if not self._active:
            return
        if not self._awaits_result:
            raise ProtocolError('A result was given, but no proposal waits for one.')
        self._awaits_result = False
        self.results.append(result)
        self._advance()

    def cancel(self) -> None:
        """See `Planner.cancel`."""
        self.cancelled += self._active
        self._next = None
        self._active = self._awaits_result = False

    def news(self) -> tuple[PlannerNews, ...]:
        """See `Planner.news`; a script has none."""
        return ()

    def use(self) -> ModelUse:
        """See `Planner.use`; a script costs nothing."""
        return ModelUse()

    def close(self) -> None:
        """See `Planner.close`."""
        self.cancel()

    def _advance(self) -> None:
        self._next = next(self._script, PlannerFailure('The script of the planner has ended.'))
        self._wake()
