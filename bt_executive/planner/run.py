"""One run of a planner in its worker thread, and the two queues that join it with the tree."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
import threading

from bt_executive.planner.backoff import Backoff
from bt_executive.planner.calls import Call
from bt_executive.planner.prompts import format_result
from bt_executive.ports import PlannerFailure, PlannerOutput, ToolResult


class RunCancelled(BaseException):
    """Unwinds an agent loop from within a tool; no `except Exception` on the way holds it."""


class CallsUsedUp(BaseException):
    """The model asked for more tools than one goal may take."""


class Run:
    """The mailbox between one worker thread and the tick thread.

    Worker: `hand_over` and the body. Tick thread: `next_output`, `give`, `cancel`; none of these
    waits.
    """

    def __init__(self, wake: Callable[[], None], max_tool_calls: int) -> None:
        self._wake = wake
        self._calls_left = self._max_calls = max_tool_calls
        self._outputs: SimpleQueue[PlannerOutput] = SimpleQueue()
        self._results: SimpleQueue[ToolResult | None] = SimpleQueue()  # None: cancelled
        self._cancelled = threading.Event()
        self._backoff = Backoff()

    def work(self, body: Callable[[], PlannerOutput]) -> None:
        """Runs the body in the worker thread and posts how it ended, unless it was cancelled."""
        try:
            output = body()
        except RunCancelled:
            return
        except CallsUsedUp:
            output = PlannerFailure(
                f'The model used its {self._max_calls} tool calls and did not come to an answer.'
            )
        except Exception as fault:
            output = PlannerFailure(f'The planner broke off: {type(fault).__name__}: {fault}')
        self._post(output)

    def hand_over(self, call: Call) -> str:
        """Proposes a call to the tree and waits for its result (worker thread).

        A call that keeps failing is held back for a while first.

        Returns:
            The result as text for the model.

        Raises:
            RunCancelled: The goal was given up.
            CallsUsedUp: The goal has no calls left.
        """
        self.check()
        if call.refusal:
            return format_result(call.refusal)
        if self._calls_left <= 0:
            raise CallsUsedUp
        self._calls_left -= 1
        self._cancelled.wait(self._backoff.delay(call.proposal))
        self._post(call.proposal)
        result = self._results.get()
        if result is None:
            raise RunCancelled
        self._backoff.note(call.proposal, result)
        return format_result(result)

    def check(self) -> None:
        """Raises `RunCancelled` if the goal was given up."""
        if self._cancelled.is_set():
            raise RunCancelled

    def next_output(self) -> PlannerOutput | None:
        """The next output, once; None while there is none."""
        try:
            return self._outputs.get_nowait()
        except Empty:
            return None

    def give(self, result: ToolResult) -> None:
        """Hands the result of the latest proposal to the worker."""
        self._results.put(result)

    def cancel(self) -> None:
        """Makes the worker unwind: at once from a tool, otherwise as soon as the model returns."""
        self._cancelled.set()
        self._results.put(None)

    def _post(self, output: PlannerOutput) -> None:
        if not self._cancelled.is_set():
            self._outputs.put(output)
            self._wake()
