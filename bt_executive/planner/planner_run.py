"""One run of a planner in its worker thread, and the mailbox that joins it with the tree."""

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
from bt_executive.planner.tool_result_text import format_result
from bt_executive.planner.tool_throttle import Backoff
from rover_common.process.threads import describe_error

if TYPE_CHECKING:
    from bt_executive.planner.model_message_reading import Call

NEWS_KEPT = 2000  # pieces that nobody has fetched; older ones are dropped


class RunCancelled(BaseException):
    """Unwinds an agent loop from within; no `except Exception` on the way holds it."""


class RunFailed(BaseException):
    """Ends the run with a reason; no `except Exception` on the way makes an answer of it."""


class EventQueue:
    """What planner threads have to tell, fetched by the tick thread. Bounded; never waits."""

    def __init__(self) -> None:
        self._news: deque[PlannerNews] = deque(maxlen=NEWS_KEPT)

    def put(self, news: PlannerNews) -> None:
        """Takes a piece, from any thread."""
        self._news.append(news)

    def notice(self, sentence: str, ok: bool = True) -> None:
        """Takes a sentence, from any thread."""
        self.put(Notice(sentence, ok))

    def fetch(self) -> tuple[PlannerNews, ...]:
        """Everything since the last call."""
        return tuple(self._news.popleft() for _ in range(len(self._news)))


class Run:
    """The mailbox between one worker thread and the tick thread.

    Worker: `hand_over`, `pause`, `check`, `if_cancelled` and the body. Tick thread: `next_output`,
    `give`, `cancel`; none of these waits.
    """

    def __init__(self, wake: Callable[[], None], max_tool_calls: int, news: EventQueue) -> None:
        self._wake = wake
        self._calls_left = self._max_calls = max_tool_calls
        self.news = news
        self._outputs: SimpleQueue[PlannerOutput] = SimpleQueue()
        self._results: SimpleQueue[ToolResult | None] = SimpleQueue()  # None: cancelled
        self._cancelled = threading.Event()
        self._on_cancel: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._backoff = Backoff()
        self.barred: Barred = ()  # what guards refuse now; set before each question

    def work(self, body: Callable[[], PlannerOutput]) -> None:
        """Runs the body in the worker thread and posts how it ended, unless it was cancelled."""
        try:
            output = body()
        except RunCancelled:
            return
        except RunFailed as end:
            output = PlannerFailure(str(end))
        self._post(output)

    def broke_off(self, fault: BaseException) -> None:
        """Posts that the body has failed (worker thread)."""
        self._post(PlannerFailure(f'The planner failed: {describe_error(fault)}'))

    def hand_over(self, call: Call) -> str:
        """Proposes a call to the tree and waits for its result (worker thread).

        A call that keeps failing is held back for a while first.

        Returns:
            The result as text for the model.

        Raises:
            RunCancelled: The goal was given up.
            RunFailed: The goal has no calls left.
        """
        self.check()
        if call.refusal:
            words = f'{call.proposal.tool} is not carried out: {call.refusal.error_reason}'
            self.news.notice(words, ok=False)
            return format_result(call.refusal)
        if self._calls_left <= 0:
            raise RunFailed(
                f'The model used its {self._max_calls} tool calls and did not come to an answer.'
            )
        self._calls_left -= 1
        self.pause(self._backoff.delay(call.proposal))
        self._post(call.proposal)
        result = self._results.get()
        if result is None:
            raise RunCancelled
        self._backoff.note(call.proposal, result)
        return format_result(result)

    @property
    def is_cancelled(self) -> bool:
        """Whether the goal was given up."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raises `RunCancelled` if the goal was given up."""
        if self.is_cancelled:
            raise RunCancelled

    def pause(self, seconds: float) -> None:
        """Waits (worker thread); raises `RunCancelled` as soon as the goal is given up."""
        self._cancelled.wait(seconds)
        self.check()

    def if_cancelled(self, act: Callable[[], None]) -> None:
        """Does this, in the tick thread and without waiting, when the goal is given up."""
        with self._lock:
            self._on_cancel = act
        if self.is_cancelled:
            act()

    def next_output(self) -> PlannerOutput | None:
        """The next output, once; None while there is none."""
        try:
            return self._outputs.get_nowait()
        except Empty:
            return None

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """Hands the result of the latest proposal to the worker, and what guards refuse now."""
        self.barred = barred
        self._results.put(result)

    def cancel(self) -> None:
        """Makes the worker unwind at once, from a tool as well as from a model call."""
        self._cancelled.set()
        self._results.put(None)
        with self._lock:
            act = self._on_cancel
        if act is not None:
            act()

    def _post(self, output: PlannerOutput) -> None:
        if self.is_cancelled:
            self.news.notice('A late output of the planner was dropped.')
            return
        self._outputs.put(output)
        self._wake()
