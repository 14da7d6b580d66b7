"""When a client of the gateway comes back after its connection ended. Pure."""

from __future__ import annotations

from dataclasses import dataclass

DELAYS_S = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
JITTER_S = 0.25
NEVER_AGAIN = 1008  # close code: the token is wrong


@dataclass
class Reconnecting:
    """Waits longer from try to try; a connection that was made begins anew."""

    _tries: int = 0

    def connected(self) -> None:
        """A connection was made."""
        self._tries = 0

    def delay_s(self, close_code: int | None, chance: float) -> float | None:
        """Seconds until the next try; None: never again. `chance`: from 0 to 1, new every time."""
        if close_code == NEVER_AGAIN:
            return None
        delay = DELAYS_S[min(self._tries, len(DELAYS_S) - 1)]
        self._tries += 1
        return delay + chance * JITTER_S
