"""What is due when: periodic work in simulated time."""

from __future__ import annotations

from collections.abc import Callable


class Schedule:
    """Runs each action once per period of simulated time, starting with the first step."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    def every(self, period: float, action: Callable[[], None]) -> None:
        """Adds an action with its period in simulated seconds."""
        self._entries.append(_Entry(period, action))

    def run_due(self, now: float) -> None:
        """Runs what is due at `now`, the simulated time in s; never the same action twice."""
        for entry in self._entries:
            if now >= entry.due:
                entry.due += entry.period * (1 + (now - entry.due) // entry.period)
                entry.action()


class _Entry:
    def __init__(self, period: float, action: Callable[[], None]) -> None:
        self.period = period
        self.action = action
        self.due = 0.0
