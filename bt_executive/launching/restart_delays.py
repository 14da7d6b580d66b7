"""When a process that died is started again: soon, then later, then once a minute.

The one rule for both who start processes: `Supervisor` for the command line, `RespawningNode` for
ROS launch, which must own its processes itself.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
import math

from rover_common.exit_codes import UNUSABLE

FIRST_DELAY_S = 0.3  # short: an executive without its adapter can only wait
WINDOW_S = 60.0  # deaths longer ago than this are forgiven
MOST_DEATHS = 5  # so many within the window, and the next starts are WINDOW_S apart


@dataclass
class RestartPolicy:
    """The deaths of one process, in steady seconds.

    A process that cannot live takes no processor time from the others, and it comes back by itself
    once its cause is gone, such as a full disk.
    """

    deaths: deque[float] = field(default_factory=deque)
    started_at: float = -math.inf  # the last start of those that are WINDOW_S apart

    def restart_delay(self, code: int | None, now: float) -> float | None:
        """Seconds until the next start; None: it cannot use its options, and is left alone.

        Doubles with each death. After more than MOST_DEATHS within WINDOW_S it is WINDOW_S, until
        the process has lived for as long as that. `code`: the exit code, as far as it is known;
        `now` in steady seconds.
        """
        if code == UNUSABLE:
            return None
        self.deaths.append(now)
        while now - self.deaths[0] > WINDOW_S:
            self.deaths.popleft()
        if len(self.deaths) <= MOST_DEATHS and now - self.started_at > WINDOW_S:
            return FIRST_DELAY_S * 2.0 ** (len(self.deaths) - 1)
        self.started_at = now + WINDOW_S
        return WINDOW_S
