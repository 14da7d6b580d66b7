"""When a process that died is started again: soon, then later, then no more."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

FIRST_DELAY_S = 0.3  # short: an executive without its adapter can only wait
WINDOW_S = 60.0  # deaths longer ago than this are forgiven
MOST_DEATHS = 5  # so many within the window, and the process is left alone


@dataclass
class Restarts:
    """The deaths of one process, in steady seconds."""

    deaths: deque[float] = field(default_factory=deque)

    def delay_after_death(self, now: float) -> float | None:
        """Seconds until the next start, doubling with each death; None: leave it alone."""
        self.deaths.append(now)
        while now - self.deaths[0] > WINDOW_S:
            self.deaths.popleft()
        if len(self.deaths) > MOST_DEATHS:
            return None
        return FIRST_DELAY_S * 2.0 ** (len(self.deaths) - 1)
