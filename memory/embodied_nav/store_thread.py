"""The one thread that talks with the store, so that a slow disk or server holds up nobody else.

While nobody wants anything it takes steps of the upkeep, each of them bounded. Only a step that
asks a model can take long: whoever asks meanwhile has it cut. What is seen may come without a
pause; then a step is taken all the same after a while, and only questions come before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import threading
import time

from embodied_nav.spatial_memory import SpatialMemory
from rover_common.errors import BtExecutiveError, StoreUnusableError
from rover_common.printable import one_line
from rover_common.process.threads import make_thread

Job = Callable[[SpatialMemory], None]
Refuse = Callable[[str], None]

MOST_WAITING = 500  # changes; beyond it the oldest is refused
RETRY_S = 10.0
UPKEEP_S = 2.0  # after a step that had nothing to do
OVERDUE_S = 10.0  # without a step; then changes wait for one


class Worker:
    """Carries jobs out in order, questions before changes. Opens the store, again and again.

    Args:
        open_memory: Opens the store; raises `MemoryStoreError` with a sentence.
        tell: Is told, in the worker's thread, each time the store becomes unusable, with the
            sentence, or usable: ''.
        upkeep: A step of what need not be done at once; what was done, empty: nothing is due.
        cut: Ends a model's answer that a step waits for; called in any thread.
        at_end: Is done with the memory before it is closed.
        clock: Steady seconds.
    """

    def __init__(
        self,
        open_memory: Callable[[], SpatialMemory],
        tell: Callable[[str], None],
        upkeep: Callable[[SpatialMemory], str] = lambda _memory: '',
        cut: Callable[[], None] = lambda: None,
        at_end: Callable[[SpatialMemory], None] = lambda _memory: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open, self._tell, self._upkeep, self._cut = open_memory, tell, upkeep, cut
        self._clock, self._at_end = clock, at_end
        self._keeps_up = False  # a step is under way
        self._kept_up_at = clock()  # the last one ended
        self._pause = 0.0
        self.upkeep_fault = ''
        self._questions: deque[tuple[Job, Refuse]] = deque()
        self._changes: deque[tuple[Job, Refuse]] = deque()
        self._changed = threading.Condition()
        self._ending = False
        self._fault: str | None = None
        self._memory: SpatialMemory | None = None
        self._tried_at = float('-inf')
        self.dropped = 0
        self._thread = make_thread(self._run, 'memory')

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    @property
    def fault(self) -> str | None:
        """Why the store cannot be used; empty: it can; None: it is not yet known."""
        return self._fault

    @property
    def waiting(self) -> int:
        """Jobs that wait."""
        return len(self._questions) + len(self._changes)

    def ask(self, job: Job, refuse: Refuse, has_time: bool = False) -> None:
        """Soon; `refuse` is called instead, with a sentence, if the store cannot be used.

        `has_time`: not worth that a model's answer is lost for it.
        """
        with self._changed:
            self._questions.append((job, refuse))
            self._changed.notify()
            keeps_up = self._keeps_up
        if keeps_up and not has_time:
            self._cut()

    def change(self, job: Job, refuse: Refuse | None = None) -> None:
        """After all changes that were asked for before; if too much waits, the oldest is refused.

        Without `refuse` it is an observation, which is counted if it is lost.
        """
        with self._changed:
            self._changes.append((job, refuse or self._lose))
            oldest = self._changes.popleft() if len(self._changes) > MOST_WAITING else None
            self._changed.notify()
        if oldest is not None:
            oldest[1]('Too much waits to be remembered')

    def end(self, patience_s: float = 5.0) -> None:
        """What was asked for until now is still done, if it is quick."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        self._cut()
        if self._thread.is_alive():
            self._thread.join(patience_s)

    def _run(self) -> None:
        while True:
            memory, job = self._usable(), self._next()
            if job is not None:
                self._do(memory, *job)
            elif self._ending:
                break
            elif memory is not None:
                self._keep_up(memory)
        if self._memory is not None:
            try:
                self._at_end(self._memory)
            finally:
                self._memory.close()

    def _usable(self) -> SpatialMemory | None:
        """The memory, opened; None while it cannot be."""
        now = self._clock()
        if self._memory is None and now - self._tried_at >= RETRY_S:
            self._tried_at = now
            try:
                self._memory = self._open()
            except Exception as error:
                self._note(_sentence(error))
            else:
                self._note('')
        return self._memory

    def _next(self) -> tuple[Job, Refuse] | None:
        with self._changed:
            if not self.waiting and not self._ending:
                self._changed.wait(self._pause if self._memory else RETRY_S)
            if self._questions:
                return self._questions.popleft()
            if self._changes and not self._is_overdue():
                return self._changes.popleft()
            self._keeps_up = not self._ending
            return None

    def _is_overdue(self) -> bool:
        can_be = self._memory is not None and not self._ending
        return can_be and self._clock() - self._kept_up_at >= OVERDUE_S

    def _keep_up(self, memory: SpatialMemory) -> None:
        try:
            self._pause = 0.0 if self._upkeep(memory) else UPKEEP_S
            self.upkeep_fault = ''
        except Exception as error:  # what is asked is still answered
            self._pause, self.upkeep_fault = RETRY_S, _sentence(error)
        with self._changed:
            self._keeps_up, self._kept_up_at = False, self._clock()

    def _do(self, memory: SpatialMemory | None, job: Job, refuse: Refuse) -> None:
        if memory is None:
            refuse(self._fault or 'The memory is being opened')
            return
        try:
            job(memory)
        except Exception as error:  # whoever asked is answered, and the thread goes on
            if isinstance(error, StoreUnusableError):
                self._note(str(error))
            refuse(_sentence(error))
        else:
            self._note('')

    def _lose(self, _sentence: str) -> None:
        self.dropped += 1

    def _note(self, fault: str) -> None:
        if fault != self._fault:
            self._fault = fault
            self._tell(fault)


def _sentence(error: Exception) -> str:
    """An own error in its words; any other is a fault of ours, named as such."""
    if isinstance(error, BtExecutiveError):
        return str(error)
    kind = type(error).__name__
    return f'The memory has a fault of its own, please report it ({kind}: {one_line(str(error))}).'
