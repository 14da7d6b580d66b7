"""The nodes that follow simulated time: how far they have come, and how far it may go ahead."""

from __future__ import annotations

import math

from curiosity_sim.rover.real_time_factor import STEP_S

# Simulated; so far time goes ahead of the slowest. In every process that a stop passes it may
# cost so much more driving.
AHEAD_S = 0.1
# Steady; a follower that acknowledges nothing for this long has ended or hangs. Joint states and
# poses are not updated meanwhile, and count as old after a second (robot.yaml).
PATIENCE_S = 0.7
POLL_S = 0.05  # counted at most between two updates: this process itself may have hung


class Followers:
    """What the nodes have acknowledged. Times in s."""

    def __init__(self) -> None:
        self._followed: dict[str, float] = {}  # simulated
        self._silent: dict[str, float] = {}  # steady
        self._updated_at = math.inf

    def acknowledge(self, name: str, simulated: float) -> None:
        """The node has done what was due until this time."""
        self._followed[name] = simulated
        self._silent[name] = 0.0

    def room(self, simulated: float, now: float) -> float:
        """Return how much further simulated time may go; infinite without followers, or negative.

        A follower that was silent for `PATIENCE_S` while it held time up is dropped until it
        acknowledges again; who has come along has nothing to say. `now` is steady time; to be
        called again and again.
        """
        passed = min(max(now - self._updated_at, 0.0), POLL_S)
        self._updated_at = now
        for name, followed in list(self._followed.items()):
            if followed + AHEAD_S - simulated >= STEP_S:
                continue
            self._silent[name] += passed
            if self._silent[name] >= PATIENCE_S:
                del self._silent[name], self._followed[name]
        return min(self._followed.values(), default=math.inf) + AHEAD_S - simulated
