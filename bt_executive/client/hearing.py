"""Whether the executive is heard of. Times in s of a steady clock."""

from __future__ import annotations

import math

QUIET_S = 1.5  # what is seen of an executive that is silent for so long is old
LOST_S = 5.0  # one that is silent for so long is gone; it beats every tick.heartbeat_s
ASLEEP_S = 0.5  # who has not looked for so long did not run meanwhile, and heard nobody


class Hearing:
    """Judges silence over the time in which this process was awake itself.

    A front end that was suspended, or that the machine did not let run, finds what was sent
    meanwhile right after its first look.
    """

    def __init__(self) -> None:
        self._heard_at = self._looked_at = self._awake_since = -math.inf

    def heard(self, now: float) -> None:
        """The executive was heard of."""
        self._heard_at = now

    def silence(self, now: float) -> float:
        """For how long it has been silent, in s; to be asked often."""
        if now - self._looked_at > ASLEEP_S:
            self._awake_since = now
        self._looked_at = now
        return now - max(self._heard_at, self._awake_since)
