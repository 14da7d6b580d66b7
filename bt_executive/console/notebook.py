"""Keeps the latest view for whoever wants to look."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.console.happenings import Happening
from bt_executive.console.view import View, seen


def _nobody() -> None:
    """Nobody wants to know."""


class Notebook:
    """Written by the console's loop; `view` may be read from any thread.

    Args:
        clock: Steady seconds.
        changed: Called after every entry.
    """

    def __init__(self, clock: Callable[[], float], changed: Callable[[], None] = _nobody) -> None:
        self._clock = clock
        self._changed = changed
        self.view = View(since=clock())

    def note(self, happening: Happening) -> None:
        """Enters what happened."""
        self.view = seen(self.view, happening, self._clock())
        self._changed()
