"""Keeps the latest view for whoever wants to look."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.client.events import Happening
from bt_executive.console.view import View, seen


class Notebook:
    """Written by the console's loop; `view` may be read from any thread. `clock`: steady s."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.view = View(since=clock())

    def note(self, happening: Happening) -> None:
        """Enters what happened."""
        self.view = seen(self.view, happening, self._clock())
