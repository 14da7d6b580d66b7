"""What is due when: periodic work in simulated time."""

from __future__ import annotations

from collections.abc import Callable

ROUNDING_S = 1e-9


class Schedule:
    """Runs each action once per period of simulated time, starting with the first step."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    def every(
        self, period: float, action: Callable[[], None], at_rest: float | None = None
    ) -> None:
        """Adds an action with its period in simulated s; `at_rest`: another one at rest."""
        self._entries.append(_Entry(period, period if at_rest is None else at_rest, action))

    def run_due(self, now: float, resting: bool = False) -> None:
        """Runs what is due at `now`, the simulated time in s; never the same action twice.

        `resting`: the periods at rest hold. Whatever ends a rest is followed by what is due by
        the other ones.
        """
        for entry in self._entries:
            period = entry.at_rest if resting else entry.period
            periods = (now - entry.ran + ROUNDING_S) // period
            if periods >= 1:
                entry.ran = entry.ran + periods * period if entry.has_run else now
                entry.has_run = True
                entry.action()


class _Entry:
    def __init__(self, period: float, at_rest: float, action: Callable[[], None]) -> None:
        self.period, self.at_rest = period, at_rest
        self.action = action
        self.ran, self.has_run = -max(period, at_rest), False  # `ran`: when, simulated s
