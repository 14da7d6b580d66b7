"""Statistics of the latest ticks: rate, durations, overruns. Times in steady seconds."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
import math

WINDOW = 500  # ticks


@dataclass(frozen=True)
class TickReport:
    """Rates in Hz, durations in s; zeros before the first tick."""

    rate_hz: float
    median_s: float
    p99_s: float
    overruns: int


class TickStatistics:
    """Statistics over the last `WINDOW` ticks; overruns are counted since the start."""

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._ticks: deque[tuple[float, float]] = deque(maxlen=WINDOW)
        self._overruns = 0

    def count(self, started_at: float, ended_at: float) -> None:
        """Counts a tick. One that took longer than the period is an overrun."""
        self._ticks.append((started_at, ended_at - started_at))
        self._overruns += ended_at - started_at > self._period_s

    @property
    def latest_s(self) -> float:
        """Returns the duration of the latest tick in s; NaN before the first."""
        return self._ticks[-1][1] if self._ticks else math.nan

    @property
    def overruns(self) -> int:
        """Returns the number of ticks that took longer than the period, since the start."""
        return self._overruns

    def report(self) -> TickReport:
        """Returns the present statistics."""
        if not self._ticks:
            return TickReport(0.0, 0.0, 0.0, 0)
        durations = sorted(duration for _, duration in self._ticks)
        span = self._ticks[-1][0] - self._ticks[0][0]
        return TickReport(
            rate_hz=(len(self._ticks) - 1) / span if span > 0 else 0.0,
            median_s=durations[len(durations) // 2],
            p99_s=durations[min(len(durations) - 1, int(len(durations) * 0.99))],
            overruns=self._overruns,
        )
