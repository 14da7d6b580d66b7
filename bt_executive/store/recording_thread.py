"""Does the writing of a recording in a thread of its own, in order and bounded."""

from __future__ import annotations

from collections.abc import Callable
import queue

from rover_common.process.threads import describe_error, start_thread

CAPACITY = 20_000

Job = Callable[[], None]


class Writer:
    """Does jobs in order, in a thread of its own.

    Args:
        tell: Takes one sentence about a job that failed, from the thread.
    """

    def __init__(self, tell: Callable[[str], None], capacity: int = CAPACITY) -> None:
        self._tell = tell
        self._jobs: queue.Queue[Job | None] = queue.Queue(capacity)
        self._dropped = 0
        self._thread = start_thread(self._work, 'recording', self._broke_off)

    def do(self, job: Job) -> None:
        """Takes a job. Never waits."""
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            self._dropped += 1
            if self._dropped == 1:
                self._tell('The disk is too slow for the recording; parts of it are left out.')

    def close(self, within_s: float) -> None:
        """Finishes what was handed over, for at most `within_s` seconds."""
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
                self._tell(f'{error.filename} cannot be written ({error.strerror}).')
            except Exception as error:
                self._tell(
                    f'A part of the recording cannot be written down: {describe_error(error)}.'
                )

    def _broke_off(self, fault: BaseException) -> None:
        self._tell(f'Nothing more is recorded: {describe_error(fault)}.')
