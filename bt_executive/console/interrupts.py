"""Ctrl-C, SIGTERM and a hang-up, also while the console cannot write.

The handler only puts an event. If nobody reads what the console writes, as in a full pipe, the
loop sits in a write and takes no event: the next signal, or an alarm, aborts the write then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
import signal
import time

from bt_executive.client.front_end_events import Interrupt
from bt_executive.console.console_loop import ConsoleInbox
from rover_common.process.ending_signals import handle_ending_signals

STUCK_S = 5.0  # after a signal; a loop that has not come round since then is stuck
AGAIN_S = 0.5  # the same after two signals: a terminal that closes may send two at once


class Interrupts:
    """Listens to the signals that end the console, from `listen` to `close`."""

    def __init__(self, inbox: ConsoleInbox) -> None:
        self._inbox = inbox
        self._guards = False
        self._handled: Iterable[int] = ()
        self._seen_turn, self._seen_at = -1, 0.0

    def listen(self) -> None:
        """From now on each such signal is an `Interrupt` in the inbox; a dead child wakes it."""
        signal.signal(signal.SIGALRM, lambda *_: self._check_loop())
        signal.signal(signal.SIGCHLD, lambda *_: self._inbox.wake())
        self._handled = handle_ending_signals(lambda *_: self._interrupt())

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Aborts what is done inside, if it is told to end and does not come round any more.

        Raises:
            KeyboardInterrupt: It was aborted; at most once.
        """
        self._guards = True
        try:
            yield
        finally:
            self._guards = False
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    def close(self) -> None:
        """Nobody takes events any more: from now on each such signal aborts what is done."""
        for number in self._handled:
            signal.signal(number, signal.default_int_handler)

    def _interrupt(self) -> None:
        self._inbox.put(Interrupt())
        self._check_loop()

    def _check_loop(self) -> None:
        """Aborts if the loop has not come round since the signal or the alarm before."""
        if not self._guards:
            return
        now = time.monotonic()
        again = self._seen_turn == self._inbox.turns
        if again and now >= self._seen_at + AGAIN_S:
            self._guards = False
            raise KeyboardInterrupt
        if not again:
            self._seen_turn, self._seen_at = self._inbox.turns, now
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S if again else STUCK_S)
