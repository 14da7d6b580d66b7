"""Liveliness of the executive, by the messages that this front end receives."""

from __future__ import annotations

from collections.abc import Callable
import time

from rover_common.clocks import Clocks

# Older values are not shown as current, whichever was suspended: the executive or this process.
QUIET_S = 1.0
LOST_S = 5.0  # silence after which the executive is lost; it publishes every tick.heartbeat_s
ASLEEP_S = 0.5  # a longer gap between two calls: this process did not run, and received nothing


class Liveliness:
    """Measures silence over the time in which this process itself was running.

    A front end that was suspended, or not scheduled, receives what was sent meanwhile only after
    its first call.

    Args:
        steady: Returns steady time in s.
    """

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._clocks = Clocks(steady, steady, ASLEEP_S)
        self._asserted_at = steady()

    def assert_now(self) -> None:
        """Note that a message of the executive is received now."""
        self.assert_ago(0.0)

    def assert_ago(self, elapsed_s: float) -> None:
        """Note that a message of the executive was received `elapsed_s` ago."""
        self._asserted_at = max(self._asserted_at, self._clocks.steady() - elapsed_s)

    def age(self) -> float:
        """Return the age of the latest message in s, whether this process ran or not."""
        return self._clocks.steady() - self._asserted_at

    def silence(self) -> float:
        """Return how long the executive has been silent, in s; call it often."""
        return self._clocks().silent_for(self._asserted_at)
