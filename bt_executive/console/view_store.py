"""Keeps the latest view for whoever wants to look."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.client.events import ClientEvent
from bt_executive.console.view import ConsoleView, seen


class ViewStore:
    """Written by the console's loop; `view` may be read from any thread. `clock`: steady s."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.view = ConsoleView(since=clock())

    def note(self, event: ClientEvent) -> None:
        """Enters what happened."""
        self.view = seen(self.view, event, self._clock())
