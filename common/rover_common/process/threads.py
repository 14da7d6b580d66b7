"""Threads that never end without a word.

Python drops a `SystemExit` in a thread, and of any other exception it prints a traceback and goes
on: the process then looks alive, and what the thread did is done no more.
"""

from __future__ import annotations

from collections.abc import Callable
import os
import sys
import threading
from typing import NoReturn

from rover_common.printable import one_line

Failed = Callable[[BaseException], object]


def make_thread(
    work: Callable[[], object], name: str, failed: Failed | None = None
) -> threading.Thread:
    """Makes a daemon thread, which the caller starts.

    Args:
        work: What it does.
        name: Of the thread.
        failed: Called in the thread with whatever ended `work` before its end, `SystemExit` and
            other BaseExceptions too. None, and where it fails itself: the process ends at once
            with the reason and code 1.
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
    """Ends the process at once, with the reason on standard error and code 1."""
    sentence = f'The thread {name!r} failed ({describe_error(error)}), so this process ends.\n'
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, sentence.encode())
    os._exit(1)
