"""The rover's time: ROS time that never goes back, for what the rover needs time for.

A drive of ten seconds is ten seconds of simulated time, however fast that passes. What concerns
processes (heartbeats, answers of services, silence of topics) is measured in steady time instead.
"""

from __future__ import annotations

from collections.abc import Callable

# A clock that stands still for a while and then goes on is followed; one that is set is not.
LONGEST_STEP_S = 2.0
# So many times a limit is its limit in steady time, should the rover's clock stand still.
BACKSTOP = 10.0


class RoverTime:
    """Seconds since the start, summed over the steps of a ROS clock that may be set at any time.

    Args:
        read_s: The ROS clock in s.
    """

    def __init__(self, read_s: Callable[[], float]) -> None:
        self._read_s = read_s
        self._last = read_s()
        self._passed = 0.0

    def __call__(self) -> float:
        """Seconds passed so far; a step back or a jump of the clock counts as none."""
        now = self._read_s()
        step, self._last = now - self._last, now
        if 0.0 < step <= LONGEST_STEP_S:
            self._passed += step
        return self._passed
