"""The console's input: the lines of standard input, and the signals that end it.

Both only put events. If the console's output is not read, as with a full pipe, the loop blocks in
a write and handles no event: then the next signal, or an alarm, aborts the write.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
import os
import signal
import time

from bt_executive.client.front_end_events import EndOfInput, InputLine, Interrupt
from bt_executive.console.console_event_loop_and_queue import ConsoleInbox
from rover_common.process.process_end import handle_ending_signals
from rover_common.process.threads import start_thread

LONGEST = 2_000_000  # characters of a line that are kept: more than any command takes


def read_lines(descriptor: int, put: Callable[[InputLine | EndOfInput], None]) -> None:
    """Read lines in a thread until the end of input.

    `put` may block; nothing is read meanwhile. The descriptor is read directly: a thread that
    blocks in `sys.stdin` would hold its lock when the interpreter shuts down. Bytes that are not
    UTF-8 become replacement characters.
    """
    start_thread(lambda: _read(descriptor, put), 'stdin', lambda _fault: put(EndOfInput()))


def _read(descriptor: int, put: Callable[[InputLine | EndOfInput], None]) -> None:
    decoder = codecs.getincrementaldecoder('utf-8')('replace')
    partial = ''
    while chunk := _read_chunk(descriptor):
        *lines, partial = (partial + decoder.decode(chunk)).split('\n')
        for line in lines:
            put(InputLine(line))
        partial = partial[:LONGEST]
    partial += decoder.decode(b'', final=True)
    if partial:
        put(InputLine(partial))
    put(EndOfInput())


def _read_chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # closed, or the terminal hung up: there is no more input
        return b''


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
