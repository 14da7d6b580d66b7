"""The signals that end the console, and the alarm that aborts a loop which is stuck after one.

If the console's output is not read, as with a full pipe, the loop blocks in a write and handles no
event: then the next signal, or an alarm, aborts the write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
import signal
import time

from bt_executive.client.front_end_events import Interrupt
from bt_executive.console.console_event_loop_and_queue import ConsoleInbox
from rover_common.process.process_end import handle_ending_signals

STUCK_S = 5.0  # after a signal; a loop without a turn since then is stuck
AGAIN_S = 0.5  # the same after two signals: a terminal that closes may send two at once


class Interrupts:
    """Handles the signals that end the console, from `listen` to `close`."""

    def __init__(self, inbox: ConsoleInbox) -> None:
        self._inbox = inbox
        self._is_guarding = False
        self._handled: Iterable[int] = ()
        self._checked_turn, self._checked_at = -1, 0.0  # of the loop, and steady time in s

    def listen(self) -> None:
        """Installs the handlers: each signal puts an `Interrupt`; SIGCHLD wakes the loop."""
        signal.signal(signal.SIGALRM, lambda *_: self._check_loop())
        signal.signal(signal.SIGCHLD, lambda *_: self._inbox.wake())
        self._handled = handle_ending_signals(lambda *_: self._interrupt())

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Aborts the loop that runs inside if it is stuck after a signal.

        Raises:
            KeyboardInterrupt: It was aborted; at most once.
        """
        self._is_guarding = True
        try:
            yield
        finally:
            self._is_guarding = False
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    def close(self) -> None:
        """From now on each signal raises KeyboardInterrupt, as no loop handles events."""
        for number in self._handled:
            signal.signal(number, signal.default_int_handler)

    def _interrupt(self) -> None:
        self._inbox.put(Interrupt())
        self._check_loop()

    def _check_loop(self) -> None:
        """Aborts the loop if it has made no turn since the previous signal or alarm."""
        if not self._is_guarding:
            return
        now = time.monotonic()
        same_turn = self._checked_turn == self._inbox.turns
        if same_turn and now >= self._checked_at + AGAIN_S:
            self._is_guarding = False
            raise KeyboardInterrupt
        if not same_turn:
            self._checked_turn, self._checked_at = self._inbox.turns, now
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S if same_turn else STUCK_S)
