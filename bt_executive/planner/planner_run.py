"""One run of a planner in its worker thread, and its mailbox to the tree."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
import threading
from typing import TYPE_CHECKING

from bt_executive.core.executive_ports import (
    Barred,
    Notice,
    PlannerFailure,
    PlannerNews,
    PlannerOutput,
    ToolResult,
)
from bt_executive.planner.prompt_toolset_and_result_text import format_result
from bt_executive.planner.tool_throttle import CallThrottle
from rover_common.process.threads import describe_error

if TYPE_CHECKING:
    from bt_executive.planner.model_message_reading import Call

MOST_UNREAD = 2000  # events that are not fetched; older ones are dropped


class RunCancelled(BaseException):
    """Unwinds an agent loop; an `except Exception` in it does not catch this."""


class RunFailed(BaseException):
    """Ends the run with a reason; an `except Exception` in it does not catch this."""


class EventQueue:
    """Events of planner threads for the tick thread. Bounded; never blocks."""

    def __init__(self) -> None:
        self._events: deque[PlannerNews] = deque(maxlen=MOST_UNREAD)

    def put(self, event: PlannerNews) -> None:
        """Add an event, from any thread."""
        self._events.append(event)

    def notice(self, sentence: str, ok: bool = True) -> None:
        """Add a sentence, from any thread."""
        self.put(Notice(sentence, ok))

    def fetch(self) -> tuple[PlannerNews, ...]:
        """Return all events since the last call."""
        return tuple(self._events.popleft() for _ in range(len(self._events)))


class Run:
    """The mailbox between one worker thread and the tick thread.

    Worker: `propose`, `pause`, `check`, `on_cancel` and the body. Tick thread: `next_output`,
    `give`, `cancel`; none of these blocks.
    """

    def __init__(self, wake: Callable[[], None], max_tool_calls: int, events: EventQueue) -> None:
        self._wake = wake
        self._calls_left = self._max_calls = max_tool_calls
        self.events = events
        self._outputs: SimpleQueue[PlannerOutput] = SimpleQueue()
        self._results: SimpleQueue[ToolResult | None] = SimpleQueue()  # None: cancelled
        self._cancelled = threading.Event()
        self._on_cancel: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._throttle = CallThrottle()
        self.barred: Barred = ()  # tools that guards refuse now; set before each request

    def work(self, body: Callable[[], PlannerOutput]) -> None:
        """Run the body in the worker thread, and post its output unless it was cancelled."""
        try:
            output = body()
        except RunCancelled:
            return
        except RunFailed as end:
            output = PlannerFailure(str(end))
        self._post(output)

    def fail(self, fault: BaseException) -> None:
        """Post that the body has failed (worker thread)."""
        self._post(PlannerFailure(f'The planner failed: {describe_error(fault)}'))

    def propose(self, call: Call) -> str:
        """Propose a call to the tree and wait for its result (worker thread).

        A call that keeps failing is delayed first.

        Returns:
            The result as text for the model.

        Raises:
            RunCancelled: The goal was cancelled.
            RunFailed: The goal has no calls left.
        """
        self.check()
        if call.refusal:
            sentence = f'{call.proposal.tool} is not carried out: {call.refusal.error_reason}'
            self.events.notice(sentence, ok=False)
            return format_result(call.refusal)
        if self._calls_left <= 0:
            raise RunFailed(
                f'The model used its {self._max_calls} tool calls and did not come to an answer.'
            )
        self._calls_left -= 1
        self.pause(self._throttle.delay(call.proposal))
        self._post(call.proposal)
        result = self._results.get()
        if result is None:
            raise RunCancelled
        self._throttle.record(call.proposal, result)
        return format_result(result)

    @property
    def is_cancelled(self) -> bool:
        """Return whether the goal was cancelled."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise `RunCancelled` if the goal was cancelled."""
        if self.is_cancelled:
            raise RunCancelled

    def pause(self, seconds: float) -> None:
        """Sleep (worker thread); raise `RunCancelled` as soon as the goal is cancelled."""
        self._cancelled.wait(seconds)
        self.check()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Set the callback for a cancellation; it runs in the tick thread and must not block."""
        with self._lock:
            self._on_cancel = callback
        if self.is_cancelled:
            callback()

    def next_output(self) -> PlannerOutput | None:
        """Return the next output once; None: there is none yet."""
        try:
            return self._outputs.get_nowait()
        except Empty:
            return None

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """Pass the result of the latest proposal to the worker, and the refused tools."""
        self.barred = barred
        self._results.put(result)

    def cancel(self) -> None:
        """Unwind the worker at once, from a tool as well as from a request."""
        self._cancelled.set()
        self._results.put(None)
        with self._lock:
            callback = self._on_cancel
        if callback is not None:
            callback()

    def _post(self, output: PlannerOutput) -> None:
        if self.is_cancelled:
            self.events.notice('A late output of the planner was dropped.')
            return
        self._outputs.put(output)
        self._wake()
