"""What other threads and signal handlers have for the console's loop."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
import threading

from bt_executive.client.front_end_events import ClientEvent, EndOfInput, InputLine, Interrupt

MOST_WAITING = 1000  # lines; whoever reads a pipe without end waits then


class ConsoleInbox:
    """Events in their order, but an interrupt before all others.

    Attributes:
        turns: How often the loop has come round for the next event.
    """

    def __init__(self) -> None:
        self.turns = 0
        self._events: SimpleQueue[ClientEvent | None] = SimpleQueue()
        self._interrupts: SimpleQueue[Interrupt] = SimpleQueue()
        self._unread = self._kept = 0  # lines: in here, and taken out but not done
        self._room = threading.Condition()

    def put(self, event: ClientEvent) -> None:
        """Takes an event, from any thread and from a signal handler: no lock is taken here."""
        if isinstance(event, Interrupt):
            self._interrupts.put(event)
        self._events.put(event)  # of an interrupt this only wakes the loop

    def wake(self) -> None:
        """Lets the loop come round without an event; from a signal handler, too."""
        self._events.put(None)

    def put_when_there_is_room(self, line: InputLine | EndOfInput) -> None:
        """Takes a line of a thread that can wait; returns when not too many wait before it."""
        with self._room:
            self._room.wait_for(lambda: self._unread + self._kept < MOST_WAITING)
            self._unread += 1
        self._events.put(line)

    def keep(self, lines: int) -> None:
        """The loop has taken out so many lines that still wait for their turn."""
        with self._room:
            self._kept = lines
            self._room.notify()

    def get(self, timeout_s: float) -> ClientEvent | None:
        """The next event; None if there was none until then, or the loop was woken."""
        self.turns += 1
        with suppress(Empty):
            return self._interrupts.get_nowait()
        with suppress(Empty):
            event = self._events.get(timeout=timeout_s)
            if isinstance(event, Interrupt):
                return self._interrupts.get_nowait()
            if isinstance(event, (InputLine, EndOfInput)):
                with self._room:
                    self._unread = max(0, self._unread - 1)
            return event
        return None
