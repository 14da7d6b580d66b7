"""A planner without a model: every goal is the same steps, one after the other."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.core.executive_ports import (
    Answer,
    Barred,
    PlannerContext,
    PlannerFailure,
    PlannerNews,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from bt_executive.plugins.plugin_interfaces import Options
from rover_common.llm.model_usage import ModelUse


class FixedSteps:
    """Proposes `options['steps']`, each `{ tool, arguments }`; the first that fails ends it."""

    def __init__(self, options: Options, wake: Callable[[], None]) -> None:
        self._steps, self._wake = list(options['steps']), wake
        self._remaining: list[PlannerOutput] = []
        self._output: PlannerOutput | None = None

    def start(self, goal: str, context: PlannerContext) -> None:
        """Starts with the first step, or after those that a previous run has done."""
        done = len(context.history)
        steps = [
            Proposal(f'step-{number}', step['tool'], dict(step.get('arguments', {})))
            for number, step in enumerate(self._steps)
        ]
        self._remaining = [*steps[done:], Answer(f'All steps of {goal!r} are done')]
        if done and not context.history[-1][1].ok:
            self._remaining = [_failure(context.history[-1][1])]
        self._next()

    def poll(self) -> PlannerOutput | None:
        """Returns the step, once."""
        output, self._output = self._output, None
        return output

    def give(self, result: ToolResult, _barred: Barred = ()) -> None:
        """Goes on to the next step."""
        if not result.ok:
            self._remaining = [_failure(result)]
        self._next()

    def cancel(self) -> None:
        """Forgets the goal."""
        self._remaining, self._output = [], None

    def news(self) -> tuple[PlannerNews, ...]:
        """Says nothing beside its proposals."""
        return ()

    def use(self) -> ModelUse:
        """Costs nothing."""
        return ModelUse()

    def close(self, within_s: float = 0.0) -> None:
        """Has nothing to free."""

    def _next(self) -> None:
        self._output = self._remaining.pop(0) if self._remaining else None
        self._wake()


def _failure(result: ToolResult) -> PlannerFailure:
    return PlannerFailure(f'A step failed: {result.error_reason}')
