"""The one thread that uses the store, so that a slow disk or server blocks no other.

While it is idle it runs steps of the upkeep, each of them bounded. Only a step that calls a model
can take long: a query cuts it off. If observations arrive without a pause, a step is run after a
while all the same, and only queries come before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import threading
import time

from embodied_nav.spatial_memory import SpatialMemory
from rover_common.errors import BtExecutiveError, StoreUnusableError
from rover_common.process.threads import make_thread
from rover_common.text_sanitizing import one_line

Job = Callable[[SpatialMemory], object]
Refuse = Callable[[str], None]

MOST_WAITING = 500  # changes; beyond it the oldest is refused
RETRY_S = 10.0
UPKEEP_S = 2.0  # pause after a step that had nothing to do
OVERDUE_S = 10.0  # without a step; then changes wait for one


class Worker:
    """Runs jobs in their order, queries before changes. Opens the store, with retries.

    Args:
        open_memory: Opens the store; raises `MemoryStoreError` with a sentence.
        report: Called in the worker's thread each time the store becomes unusable, with the
            sentence, or usable: ''.
        upkeep: A step of deferred work; returns what was done, empty: nothing was due.
        cut_model: Ends the answer of a model that a step waits for; called in any thread.
        on_end: Called with the memory before it is closed.
        clock: Steady seconds.
    """

    def __init__(
        self,
        open_memory: Callable[[], SpatialMemory],
        report: Callable[[str], None],
        upkeep: Callable[[SpatialMemory], str] = lambda _memory: '',
        cut_model: Callable[[], None] = lambda: None,
        on_end: Callable[[SpatialMemory], None] = lambda _memory: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open, self._report, self._upkeep = open_memory, report, upkeep
        self._cut_model, self._on_end, self._clock = cut_model, on_end, clock
        self._in_upkeep = False  # a step is under way
        self._upkeep_ended_at = clock()  # the last one ended
        self._pause = 0.0
        self.upkeep_fault = ''
        self._questions: deque[tuple[Job, Refuse]] = deque()
        self._changes: deque[tuple[Job, Refuse]] = deque()
        self._changed = threading.Condition()
        self._ending = False
        self._fault: str | None = None
        self._is_read_only = False  # the last change failed, and no query did since
        self._memory: SpatialMemory | None = None
        self._opened_at = float('-inf')
        self.dropped = 0
        self._thread = make_thread(self._run, 'memory')

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def fault(self) -> str | None:
        """Why the store cannot be used; empty: it can; None: not yet known."""
        return self._fault

    @property
    def waiting(self) -> int:
        """The number of queued jobs."""
        return len(self._questions) + len(self._changes)

    def ask(self, job: Job, refuse: Refuse, may_wait: bool = False) -> None:
        """Queue a query; `refuse` is called with a sentence if the store cannot be used.

        `may_wait`: it does not cut off the answer of a model.
        """
        with self._changed:
            self._questions.append((job, refuse))
            self._changed.notify()
            in_upkeep = self._in_upkeep
        if in_upkeep and not may_wait:
            self._cut_model()

    def change(self, job: Job, refuse: Refuse | None = None) -> None:
        """Queue a change; if too many wait, the oldest is refused.

        Without `refuse` it is an observation, which is counted if it is dropped.
        """
        with self._changed:
            self._changes.append((job, refuse or self._count_dropped))
            oldest = self._changes.popleft() if len(self._changes) > MOST_WAITING else None
            self._changed.notify()
        if oldest is not None:
            oldest[1]('Too much waits to be remembered')

    def end(self, timeout_s: float = 5.0) -> None:
        """End the thread after the queued jobs, or after a timeout."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        self._cut_model()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while True:
            memory, job = self._usable(), self._next()
            if job is not None:
                self._do(memory, *job)
            elif self._ending:
                break
            elif memory is not None:
                self._run_upkeep(memory)
        if self._memory is not None:
            try:
                self._on_end(self._memory)
            finally:
                self._memory.close()

    def _usable(self) -> SpatialMemory | None:
        """Return the open memory; None while it cannot be opened."""
        now = self._clock()
        if self._memory is None and now - self._opened_at >= RETRY_S:
            self._opened_at = now
            try:
                self._memory = self._open()
            except Exception as error:
                self._set_fault(_sentence(error))
            else:
                self._set_fault('')
        return self._memory

    def _next(self) -> tuple[Job, Refuse, bool] | None:
        """Return the next job, and whether it is a change; None: it is time for upkeep."""
        with self._changed:
            if not self.waiting and not self._ending:
                self._changed.wait(self._until_upkeep() if self._memory else RETRY_S)
            if self._questions:
                return *self._questions.popleft(), False
            if self._changes and not self._is_overdue():
                return *self._changes.popleft(), True
            self._in_upkeep = not self._ending
            return None

    def _until_upkeep(self) -> float:
        """Return how long to wait for the next step, s: from the last one, not from a query."""
        return max(0.0, self._upkeep_ended_at + self._pause - self._clock())

    def _is_overdue(self) -> bool:
        can_run = self._memory is not None and not self._ending
        return can_run and self._clock() - self._upkeep_ended_at >= OVERDUE_S

    def _run_upkeep(self, memory: SpatialMemory) -> None:
        try:
            self._pause = 0.0 if self._upkeep(memory) else UPKEEP_S
            self.upkeep_fault = ''
        except Exception as error:  # queries are still answered
            self._pause, self.upkeep_fault = RETRY_S, _sentence(error)
        with self._changed:
            self._in_upkeep, self._upkeep_ended_at = False, self._clock()

    def _do(self, memory: SpatialMemory | None, job: Job, refuse: Refuse, is_change: bool) -> None:
        if memory is None:
            refuse(self._fault or 'The memory is being opened')
            return
        try:
            job(memory)
        except Exception as error:  # the caller gets an answer, and the thread goes on
            if isinstance(error, StoreUnusableError):
                self._is_read_only = is_change
                self._set_fault(str(error))
            refuse(_sentence(error))
        else:
            self._is_read_only &= not is_change
            if not self._is_read_only:
                self._set_fault('')

    def _count_dropped(self, _sentence: str) -> None:
        self.dropped += 1

    def _set_fault(self, fault: str) -> None:
        if fault != self._fault:
            self._fault = fault
            self._report(fault)


def _sentence(error: Exception) -> str:
    """Return the text of an error; one that is not of this package is reported as a fault."""
    if isinstance(error, BtExecutiveError):
        return str(error)
    kind = type(error).__name__
    return f'The memory has a fault of its own, please report it ({kind}: {one_line(str(error))}).'
