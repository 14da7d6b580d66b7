"""SIGINT, SIGTERM and SIGHUP as a call, not as an exception.

Python raises `KeyboardInterrupt` at any point of its main thread. In a destructor or in the
callback of a weak reference it cannot be caught: it is printed ("Exception ignored in …") and
dropped, and the program goes on. A loop of asyncio may turn it into a `CancelledError`.

A signal handler interrupts any code of the main thread, including another handler. A lock that it
acquires may be held right there, by `threading.Event.set` for example: a deadlock. So
`Shutdown.request` only sets a flag and writes into a pipe.
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
    """Install a handler for these signals; return the previous handlers, by signal.

    The handler acquires no lock. A SIGHUP that is ignored stays ignored: with `nohup` the process
    outlives its terminal.
    """
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    if before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]
    for number in before:
        signal.signal(number, handler)
    return before


class Shutdown:
    """A request that this process end.

    Attributes:
        requested: Whether it was made.
    """

    def __init__(self) -> None:
        self.requested = False
        self._end: Callable[[], object] = lambda: None
        self._calls = threading.Lock()  # held while `_end` is called; no handler takes it
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        self._thread = start_thread(self._wait, 'ending')

    def then(self, end: Callable[[], object]) -> None:
        """Register the callback of the request; it is called now if the request was made.

        Args:
            end: Called in a thread of its own, possibly more than once. It replaces the previous
                callback, which is not called after this returns.
        """
        with self._calls:
            self._end = end
        if self.requested:
            end()

    def request(self, *_: int | FrameType | None) -> None:
        """Request the end, from any thread; has the signature of a signal handler."""
        self.requested = True
        with suppress(OSError):  # the pipe is full, or it is closed
            os.write(self._writing, b'\0')

    def end_waits_in_c(self) -> None:
        """Call the callback of `then` at every signal for which Python has a handler.

        The handler itself runs when the main thread is back in Python, and a wait of rcl does not
        return for a signal; the callback can end it.
        """
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)

    def close(self) -> None:
        """Release the pipe; the callback is not called afterwards, and `request` must not be."""
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
    """Turn these signals into a request to end, within the block.

    Main thread only. A blocking call in the block is not interrupted.
    """
    shutdown = Shutdown()
    before = handle_ending_signals(shutdown.request)
    try:
        yield shutdown
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        shutdown.close()
