"""SIGINT, SIGTERM and SIGHUP as a call, not as an exception.

Python raises `KeyboardInterrupt` wherever its main thread just is. In a destructor or in the
callback of a weak reference nobody can catch it: it is printed ("Exception ignored in …") and
forgotten, and the program goes on. A loop of asyncio may turn it into a `CancelledError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import signal
from types import FrameType
from typing import Any

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def handle_ending_signals(
    handler: Callable[[int, FrameType | None], object],
) -> dict[signal.Signals, Any]:
    """Has a handler called at each of these signals; returns the handlers before, by signal.

    A SIGHUP that is ignored stays ignored: `nohup` wants the process to outlive its terminal.
    """
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    if before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]
    for number in before:
        signal.signal(number, handler)
    return before


class Ending:
    """Whether this process was told to end.

    Attributes:
        told: It was.
    """

    def __init__(self) -> None:
        self.told = False
        self._end: Callable[[], object] = lambda: None

    def then(self, end: Callable[[], object]) -> None:
        """Has `end` called when the process is told to end, and now if it already was.

        Args:
            end: May be called in the middle of anything that the main thread does, and more than
                once: it only notes something. It takes the place of the one before.
        """
        self._end = end
        if self.told:
            end()

    def tell(self, *_: int | FrameType | None) -> None:
        """Tells the process to end; takes what a handler of signals is given."""
        self.told = True
        self._end()


@contextmanager
def ending_signals() -> Iterator[Ending]:
    """From the begin to the end of the block these signals tell the process to end.

    Only in the main thread. What blocks inside is not ended by them.
    """
    ending = Ending()
    before = handle_ending_signals(ending.tell)
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
