"""The thread that writes the recording, so that no caller waits for a disk.

If the disk hangs, a bounded number of jobs waits; further ones are dropped and reported.
"""

from __future__ import annotations

from collections.abc import Callable
import queue

from rover_common.process.threads import describe_error, start_thread

CAPACITY = 20_000
Job = Callable[[], None]


class WriterThread:
    """Runs jobs in order.

    Args:
        report: Called by the thread with a sentence when a job fails.
        capacity: Maximum number of waiting jobs.
    """

    def __init__(self, report: Callable[[str], None], capacity: int = CAPACITY) -> None:
        self._report = report
        self._jobs: queue.Queue[Job | None] = queue.Queue(capacity)
        self._dropped = 0
        self._thread = start_thread(self._work, 'recording', self._report_end)

    def submit(self, job: Job) -> None:
        """Queues a job. Never blocks; drops the job if the queue is full."""
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            self._dropped += 1
            if self._dropped == 1:
                self._report('The disk is too slow for the recording; parts of it are left out.')

    def close(self, within_s: float) -> None:
        """Finishes the queued jobs, for at most `within_s` seconds."""
        try:
            self._jobs.put(None, timeout=within_s)
        except queue.Full:
            return
        self._thread.join(within_s)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except OSError as error:
                self._report(f'{error.filename} cannot be written ({error.strerror}).')
            except Exception as error:
                self._report(
                    f'A part of the recording cannot be written down: {describe_error(error)}.'
                )

    def _report_end(self, fault: BaseException) -> None:
        self._report(f'Nothing more is recorded: {describe_error(fault)}.')
