"""A thread that does the latest of what it is given: for what is shown, and may be late."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue

from rover_common.process.threads import make_thread

Job = Callable[[], None]


class LatestJob:
    """Executes jobs in a thread of its own, which the first job starts.

    A job that comes while another one is being done replaces those that wait, so whoever gives
    jobs is never held up, and the thread is never behind by more than one.

    Args:
        name: Of the thread.
        failed: Called with an exception of a job, in the thread; the next job is executed anyway.
    """

    def __init__(self, name: str, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = make_thread(self._work, name)

    def do(self, job: Job) -> None:
        """Schedule a job. Never waits. To be called by one thread."""
        if self._thread.ident is None:
            self._thread.start()
        self._jobs.put(job)

    def close(self, within_s: float) -> None:
        """End the thread after its current job, which is awaited for at most so many s."""
        if self._thread.ident is not None:
            self._jobs.put(None)
            self._thread.join(within_s)

    def _work(self) -> None:
        while (job := self._latest()) is not None:
            try:
                job()
            except Exception as error:  # what is shown must end nothing
                self._failed(error)

    def _latest(self) -> Job | None:
        job = self._jobs.get()
        while job is not None:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                break
        return job
