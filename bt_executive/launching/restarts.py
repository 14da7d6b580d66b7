"""When a process that died is started again: soon, then later, then no more.

The one rule for both who start processes: `Supervisor` for the command line, `RespawningNode` for
ROS launch, which must own its processes itself.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from rover_common.errors import UNUSABLE

FIRST_DELAY_S = 0.3  # short: an executive without its adapter can only wait
WINDOW_S = 60.0  # deaths longer ago than this are forgiven
MOST_DEATHS = 5  # so many within the window, and the process is left alone


@dataclass
class Restarts:
    """The deaths of one process, in steady seconds."""

    deaths: deque[float] = field(default_factory=deque)

    def delay_after_death(self, code: int | None, now: float) -> float | None:
        """Seconds until the next start, doubling with each death; None: leave it alone.

        `code`: the exit code, as far as it is known; `now` in steady seconds.
        """
        if code == UNUSABLE:
            return None
        self.deaths.append(now)
        while now - self.deaths[0] > WINDOW_S:
            self.deaths.popleft()
        if len(self.deaths) > MOST_DEATHS:
            return None
        return FIRST_DELAY_S * 2.0 ** (len(self.deaths) - 1)
