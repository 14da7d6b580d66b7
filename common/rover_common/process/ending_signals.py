"""SIGINT, SIGTERM and SIGHUP as a call, not as an exception.

Python raises `KeyboardInterrupt` wherever its main thread just is. In a destructor or in the
callback of a weak reference nobody can catch it: it is printed ("Exception ignored in …") and
forgotten, and the program goes on. A loop of asyncio may turn it into a `CancelledError`.

A handler of a signal interrupts whatever the main thread does, another handler as well. A lock
that it takes may be held right there, by `threading.Event.set` for example, and the main thread
then waits for itself. So `Ending.request` only sets a flag and writes into a pipe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
import os
import signal
import threading
from types import FrameType
from typing import Any

from rover_common.process.threads import start_thread

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def handle_ending_signals(
    handler: Callable[[int, FrameType | None], object],
) -> dict[signal.Signals, Any]:
    """Has a handler called at each of these signals; returns the handlers before, by signal.

    The handler takes no lock. A SIGHUP that is ignored stays ignored: `nohup` wants the process to
    outlive its terminal.
    """
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    if before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]
    for number in before:
        signal.signal(number, handler)
    return before


class Shutdown:
    """Whether this process was told to end.

    Attributes:
        told: It was.
    """

    def __init__(self) -> None:
        self.told = False
        self._end: Callable[[], object] = lambda: None
        self._calls = threading.Lock()  # held while `_end` is called; no handler takes it
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        self._thread = start_thread(self._wait, 'ending')

    def then(self, end: Callable[[], object]) -> None:
        """Has `end` called when the process is told to end, and now if it already was.

        Args:
            end: Is called in a thread of its own, and perhaps more than once. It takes the place
                of the one before, which is not called any more once this returns.
        """
        with self._calls:
            self._end = end
        if self.told:
            end()

    def request(self, *_: int | FrameType | None) -> None:
        """Tells the process to end, from any thread; takes what a handler of signals is given."""
        self.told = True
        with suppress(OSError):  # so much is in the pipe already, or it is closed
            os.write(self._writing, b'\0')

    def end_waits_in_c(self) -> None:
        """Has what `then` was given called at every signal for which Python has a handler.

        The handler itself runs when the main thread is back in Python, and a wait of rcl does not
        return for a signal: what `then` was given can end it.
        """
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)

    def close(self) -> None:
        """Calls nobody any more, once it returns. Nobody calls `request` from here on."""
        writing, self._writing = self._writing, -1
        os.close(writing)
        self._thread.join()
        os.close(self._reading)

    def _wait(self) -> None:
        while os.read(self._reading, 512):
            with self._calls:
                self._end()


@contextmanager
def ending_signals() -> Iterator[Shutdown]:
    """From the begin to the end of the block these signals tell the process to end.

    Only in the main thread. What blocks inside is not ended by them.
    """
    ending = Shutdown()
    before = handle_ending_signals(ending.request)
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        ending.close()
