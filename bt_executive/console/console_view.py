"""The console's view of the run. Written by the console's loop; read from any thread."""

from __future__ import annotations

from collections.abc import Callable
import time

from bt_executive.client.front_end_events import ClientEvent, LiveViewSetting
from bt_executive.view.run_clock import RunClock
from bt_executive.view.run_view import RunView
from rover_common.config.settings import Config


class ViewStore:
    """Folds events into the view.

    Args:
        clock: Steady time in s.
        config: For the map, and whether the robot's time is simulated; None: unknown.
        system: System time in s. The run starts now, until the executive reports its start.

    Attributes:
        run: The view of the run.
        time: The clock of the run.
        whole: Whether the live view is shown with more than its first line.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        config: Config | None = None,
        system: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        simulated = config is not None and config.executive.use_sim_time
        self.time = RunClock(system, system(), simulated)
        self.run = RunView(config, clock())
        self.whole = True

    def apply(self, event: ClientEvent) -> None:
        """Applies an event."""
        if isinstance(event, LiveViewSetting):
            self.whole = event.whole
        self.time.apply(event)
        now = self.time.now
        self.run.apply(event, now, self._clock())
        if self.run.is_full:
            self.run = self.run.continued(now)
