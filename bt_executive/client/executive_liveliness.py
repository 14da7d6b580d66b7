"""Whether the executive lives, by what this front end receives of it."""

from __future__ import annotations

from collections.abc import Callable
import time

from rover_common.clocks import Clocks

# What is older is not shown as now, whoever has slept: the executive or this process.
QUIET_S = 1.0
LOST_S = 5.0  # one that is silent for so long is gone; a heartbeat comes every tick.heartbeat_s
ASLEEP_S = 0.5  # who has not looked for so long did not run meanwhile, and received nothing


class Liveliness:
    """Judges silence over the time in which this process was awake itself.

    A front end that was suspended, or that the machine did not let run, finds what was sent
    meanwhile right after its first look.

    Args:
        steady: Gives steady time in s.
    """

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._clocks = Clocks(steady, steady, ASLEEP_S)
        self._asserted_at = steady()

    def assert_now(self) -> None:
        """Something of the executive is received now."""
        self.assert_before(0.0)

    def assert_before(self, passed_s: float) -> None:
        """Something of the executive was received so many s before now."""
        self._asserted_at = max(self._asserted_at, self._clocks.steady() - passed_s)

    def age(self) -> float:
        """How old the latest is that was received, in s, whether this process ran or not."""
        return self._clocks.steady() - self._asserted_at

    def silence(self) -> float:
        """For how long it has been silent, in s; to be asked often."""
        return self._clocks().silent_for(self._asserted_at)
