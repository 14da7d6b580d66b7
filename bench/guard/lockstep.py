"""Planners that keep step with a manual clock: the shipped one, and one below the wire.

The shipped planner thinks in a thread of its own, in real time. Here the tick waits for what it
comes to, so a case is the same on every machine; where the model keeps silent, time goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
import threading
import time

from bench.guard.script import Turn
from bt_executive.core.executive_ports import (
    Answer,
    Barred,
    Planner,
    PlannerContext,
    PlannerFailure,
    PlannerNews,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from rover_common.json_values import read_json_object
from rover_common.llm.model_usage import ModelUse

PATIENCE_S = 60.0  # real; a case whose planner thinks longer fails


class StuckPlannerError(Exception):
    """The planner has proposed nothing for so long that the case cannot go on."""


class Lockstep:
    """Implements `Planner`: another one, whose thoughts take no time of the case.

    Args:
        make: Makes the other one with its `wake`.
        silent: Set while the model keeps silent.
        patience_s: Maximum duration of a proposal, in real time.
    """

    def __init__(
        self,
        make: Callable[[Callable[[], None]], Planner],
        silent: threading.Event,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._woken = threading.Event()
        self._silent = silent
        self._patience_s = patience_s
        self._inner = make(self._woken.set)
        self._thinks = False
        self.decided: list[float] = []  # s of real time from each proposal to its verdict
        self._proposed_at: float | None = None

    def start(self, goal: str, context: PlannerContext) -> None:
        """See `Planner.start`."""
        self._woken.clear()
        self._inner.start(goal, context)
        self._thinks = True

    def poll(self) -> PlannerOutput | None:
        """See `Planner.poll`; waits for the planner's proposal."""
        if not self._thinks:
            return None
        deadline = time.monotonic() + self._patience_s
        while not self._woken.wait(0.002) and not self._silent.is_set():
            if time.monotonic() > deadline:
                raise StuckPlannerError('The planner does not come to anything.')
        output = self._inner.poll()
        if output is not None:
            self._woken.clear()
            self._thinks = False
            self._proposed_at = time.perf_counter()
        return output

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """See `Planner.give`."""
        self.note_decided()
        self._inner.give(result, barred)
        self._thinks = True

    def note_decided(self) -> None:
        """The latest proposal has its verdict."""
        if self._proposed_at is not None:
            self.decided.append(time.perf_counter() - self._proposed_at)
            self._proposed_at = None

    def cancel(self) -> None:
        """See `Planner.cancel`."""
        self._inner.cancel()
        self._thinks = False

    def news(self) -> tuple[PlannerNews, ...]:
        """See `Planner.news`."""
        return self._inner.news()

    def use(self) -> ModelUse:
        """See `Planner.use`."""
        return self._inner.use()

    def close(self, within_s: float = 0.0) -> None:
        """See `Planner.close`."""
        self._inner.close(within_s)


def as_outputs(turns: Iterable[Turn]) -> Iterable[PlannerOutput | None]:
    """What a planner below the wire proposes: the first call of each turn, unchecked."""
    for number, turn in enumerate(turns):
        if turn.calls:
            call = turn.calls[0]
            try:
                arguments, fault = (
                    (call.args if call.text is None else read_json_object(call.text)),
                    '',
                )
            except ValueError as error:
                arguments, fault = {}, f'The arguments cannot be read: {error}'
            yield Proposal(f'call-{number}', call.tool, arguments, turn.say, fault)
        elif turn.fault is not None:
            yield None
        else:
            yield Answer(turn.say)
    yield PlannerFailure('The script has ended.')
