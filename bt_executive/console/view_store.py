"""The console's view of the run. Written by the console's loop; read from any thread."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.client.front_end_events import ClientEvent, LiveViewWanted
from bt_executive.view.run_view import RunView
from rover_common.config.settings import Config


class ViewStore:
    """Keeps the view.

    Args:
        clock: Steady time in s.
        config: For the map; None: it is not known.

    Attributes:
        run: All of it.
        whole: Whether the executive wants more than the first line of it shown.
    """

    def __init__(self, clock: Callable[[], float], config: Config | None = None) -> None:
        self._clock = clock
        self.run = RunView(config, clock())
        self.whole = True

    def note(self, event: ClientEvent) -> None:
        """Enters what happened."""
        if isinstance(event, LiveViewWanted):
            self.whole = event.whole
        now = self._clock()
        self.run.apply(event, now, now)
        if self.run.is_full:
            self.run = self.run.renewed(now)
