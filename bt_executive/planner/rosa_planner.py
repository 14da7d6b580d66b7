"""The planner that asks a chat model through ROSA."""

from __future__ import annotations

from collections.abc import Callable
import itertools
import threading
import time

from langchain_core.language_models import BaseChatModel

from bt_executive.errors import ProtocolError
from bt_executive.planner.prompts import GOAL_LIMIT, system_prompt
from bt_executive.planner.quoting import quote
from bt_executive.planner.rosa_agent import ProposingRosa
from bt_executive.planner.run import Run
from bt_executive.ports import PlannerContext, PlannerOutput, Proposal, ToolResult
from bt_executive.settings import Prompts

CLOSE_WAIT_S = 1.0  # longest wait in `close` for threads that are still in a model call


class RosaPlanner:
    """Implements `Planner`. Each goal has its own agent in its own thread (a generation).

    A cancelled generation can neither be polled nor given anything: late outputs stay in its own
    mailbox and vanish with it.
    """

    def __init__(self, model: BaseChatModel, prompts: Prompts, wake: Callable[[], None]) -> None:
        """Prepares; no thread runs before `start`.

        Args:
            model: The chat model; must be able to call tools.
            prompts: prompts.yaml.
            wake: Called from the worker thread whenever `poll` has something new.
        """
        self._model = model
        self._prompts = prompts
        self._wake = wake
        self._numbers = itertools.count(1)
        self._threads: list[threading.Thread] = []
        self._run: Run | None = None
        self._awaits_result = False
        self._closed = False

    def start(self, goal: str, context: PlannerContext) -> None:
        """See `Planner.start`."""
        if self._closed:
            raise ProtocolError('The planner was closed and cannot start another goal.')
        self.cancel()
        run = self._run = Run(self._wake, context.max_tool_calls)
        thread = threading.Thread(
            target=run.work,
            args=(lambda: self._pursue(run, goal, context),),
            name=f'planner-{next(self._numbers)}',
            daemon=True,
        )
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def poll(self) -> PlannerOutput | None:
        """See `Planner.poll`."""
        output = self._run.next_output() if self._run else None
        if output is not None:
            self._awaits_result = isinstance(output, Proposal)
            if not self._awaits_result:
                self._run = None
        return output

    def give(self, result: ToolResult) -> None:
        """See `Planner.give`."""
        if self._run is None:
            return
        if not self._awaits_result:
            raise ProtocolError('A result was given, but no proposal waits for one.')
        self._awaits_result = False
        self._run.give(result)

    def cancel(self) -> None:
        """See `Planner.cancel`."""
        if self._run:
            self._run.cancel()
        self._run = None
        self._awaits_result = False

    def close(self) -> None:
        """See `Planner.close`; waits at most `CLOSE_WAIT_S` for threads to unwind."""
        self.cancel()
        self._closed = True
        deadline = time.monotonic() + CLOSE_WAIT_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _pursue(self, run: Run, goal: str, context: PlannerContext) -> PlannerOutput:
        run.check()
        agent = ProposingRosa(
            self._model,
            system_prompt(self._prompts, context.palette, context.memory),
            context.palette,
            context.max_tool_calls,
            run.hand_over,
        )
        return agent.pursue(quote(goal, GOAL_LIMIT))
