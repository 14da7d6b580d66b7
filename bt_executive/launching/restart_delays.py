"""The delay after which a process that died is restarted: short, then longer, then a minute.

For both that start processes: `Supervisor` for the command line, `RespawningNode` for ROS launch,
which must own its processes itself.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
import math

from rover_common.process.process_end import UNUSABLE

FIRST_DELAY_S = 0.3  # short: an executive without its adapter can only wait
WINDOW_S = 60.0  # older deaths are not counted
MOST_DEATHS = 5  # after more within the window, restarts are WINDOW_S apart


@dataclass
class RestartPolicy:
    """The deaths of one process, in steady seconds.

    A process that dies again and again takes little processor time from the others, and it is
    restarted once the cause is gone, such as a full disk.
    """

    deaths: deque[float] = field(default_factory=deque)
    started_at: float = -math.inf  # the latest of the restarts that are WINDOW_S apart

    def restart_delay(self, code: int | None, now: float) -> float | None:
        """Return the seconds until the restart; None: its options are unusable, no restart.

        Doubles with each death. After more than MOST_DEATHS within WINDOW_S it is WINDOW_S, until
        the process has run for as long as that. `code`: the exit code; None: unknown. `now`:
        steady time in s.
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
