"""The real-time factor: how fast simulated time passes, as wanted or as this machine can."""

from __future__ import annotations

import math

from rover_common.diagnostic_status import Health, Part, warning

STEP_S = 0.01  # simulated; the update rate of the demo's controllers
# Simulated time in one go at most. On a busy machine time slows down instead of piling up, and a
# command that comes while the simulation catches up waits no longer than this.
CATCH_UP_S = 0.2
WINDOW_S = 1.0  # steady; the window over which the reached speed is measured
ENOUGH = 0.9  # of the wanted speed


class RealTimeFactor:
    """Turns steady time into steps of simulated time. Times in s.

    Args:
        wanted: How many times as fast as steady time simulated time should pass.
        now: Steady time.
    """

    def __init__(self, wanted: float, now: float) -> None:
        self.wanted = wanted
        self.reached = wanted  # in the latest window
        self._last = self._window_began = now
        self._owed = 0.0
        self._steps = 0

    def steps_due(self, now: float, room: float = math.inf) -> int:
        """Return how many steps are due now; the caller makes them.

        Args:
            now: Steady time.
            room: Simulated time that may pass until others have come along; may be negative.
        """
        self._owed += (now - self._last) * self.wanted
        self._last = now
        steps = int(max(min(self._owed, CATCH_UP_S, room), 0.0) / STEP_S + 1e-9)
        self._owed = min(self._owed - steps * STEP_S, STEP_S)
        self._measure(now, steps)
        return steps

    @property
    def too_slow(self) -> str | None:
        """Return the fault if simulated time does not reach the wanted speed; else None."""
        if self.reached >= ENOUGH * self.wanted:
            return None
        return (
            f'simulated time passes {self.reached:.1f} times as fast as real time instead of '
            f'{self.wanted:g} times: this machine is too busy or too slow'
        )

    def part(self) -> Part:
        """What diagnostics report of it: a warning on a machine that is too slow."""
        return Part('time', self._health, self._figures)

    def _health(self) -> Health:
        too_slow = self.too_slow
        return warning(too_slow) if too_slow else Health()

    def _figures(self) -> dict[str, float]:
        return {'speed_factor': self.reached, 'speed_factor_wanted': self.wanted}

    def _measure(self, now: float, steps: int) -> None:
        self._steps += steps
        passed = now - self._window_began
        if passed >= WINDOW_S:
            self.reached = self._steps * STEP_S / passed
            self._window_began, self._steps = now, 0
