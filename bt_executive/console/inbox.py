"""What other threads and signal handlers have for the console's loop."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue

from bt_executive.client.events import ClientEvent, Interrupt


class ConsoleInbox:
    """Events in their order, but an interrupt before all others.

    Attributes:
        turns: How often the loop has come round for the next event.
    """

    def __init__(self) -> None:
        self.turns = 0
        self._events: SimpleQueue[ClientEvent] = SimpleQueue()
        self._interrupts: SimpleQueue[Interrupt] = SimpleQueue()

    def put(self, event: ClientEvent) -> None:
        """Takes an event, from any thread and from a signal handler: no lock is taken here."""
        if isinstance(event, Interrupt):
            self._interrupts.put(event)
        self._events.put(event)  # of an interrupt this only wakes the loop

    def get(self, timeout_s: float) -> ClientEvent | None:
        """The next event; None if there was none until then."""
        self.turns += 1
        with suppress(Empty):
            return self._interrupts.get_nowait()
        with suppress(Empty):
            event = self._events.get(timeout=timeout_s)
            return self._interrupts.get_nowait() if isinstance(event, Interrupt) else event
        return None
