"""Threads that never end without a word.

Python drops a `SystemExit` in a thread, and of any other exception it prints a traceback and goes
on: the process then looks alive, and what the thread did is done no more.
"""

from __future__ import annotations

from collections.abc import Callable
import os
from queue import Empty, SimpleQueue
import sys
import threading
from typing import NoReturn

from rover_common.text_sanitizing import one_line

Failed = Callable[[BaseException], object]


def make_thread(
    work: Callable[[], object], name: str, failed: Failed | None = None
) -> threading.Thread:
    """Makes a daemon thread, which the caller starts.

    `failed` is called in the thread with whatever ended `work` before its end, `SystemExit` and
    other BaseExceptions too. None, and where it fails itself: the process ends at once with the
    reason and code 1.
    """

    def run() -> None:
        try:
            work()
        except BaseException as error:
            if failed is None:
                end_process(name, error)
            try:
                failed(error)
            except BaseException as another:
                end_process(name, another)

    return threading.Thread(target=run, name=name, daemon=True)


def start_thread(
    work: Callable[[], object], name: str, failed: Failed | None = None
) -> threading.Thread:
    """Starts a thread of `make_thread`."""
    thread = make_thread(work, name, failed)
    thread.start()
    return thread


def describe_error(error: BaseException) -> str:
    """Return the type and the message of an exception, in one line."""
    return one_line(f'{type(error).__name__}: {error}').removesuffix(': ')


def end_process(name: str, error: BaseException) -> NoReturn:
    """Ends the process at once, with code 1 and, if it can be written, the reason on stderr."""
    try:
        sentence = f'The thread {name!r} failed ({describe_error(error)}), so this process ends.\n'
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, sentence.encode())
    finally:
        os._exit(1)


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
