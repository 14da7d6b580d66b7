"""How long ticks take and how far they lie apart: the latest, and ten on average."""

from __future__ import annotations

from collections import deque
import time

AVERAGED_TICKS = 10  # as py_trees_ros does


class Series:
    """The latest values of something measured in s."""

    def __init__(self) -> None:
        self._values: deque[float] = deque(maxlen=AVERAGED_TICKS)

    def add(self, value: float) -> None:
        """Enters a value."""
        self._values.append(value)

    def summary(self) -> tuple[float, float, float]:
        """Latest value, average, and variance of the sample; zeros before there are any."""
        values = self._values
        if not values:
            return 0.0, 0.0, 0.0
        average = sum(values) / len(values)
        squares = sum((value - average) ** 2 for value in values)
        return values[-1], average, squares / max(len(values) - 1, 1)


class TickStatistics:
    """Counts ticks from 0. Spans come from the steady clock, so none is ever negative."""

    def __init__(self) -> None:
        self.count = -1
        self.stamp_ns = 0  # system time
        self.durations = Series()
        self.intervals = Series()
        self._began_at: float | None = None

    def begin(self) -> None:
        """A tick begins."""
        now = time.monotonic()
        if self._began_at is not None:
            self.intervals.add(now - self._began_at)
        self._began_at = now
        self.stamp_ns = time.time_ns()
        self.count += 1

    def end(self) -> None:
        """It has ended."""
        if self._began_at is not None:
            self.durations.add(time.monotonic() - self._began_at)
