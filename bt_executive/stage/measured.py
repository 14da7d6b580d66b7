"""Readings over time as a chart shows them: a value holds until the next one, and gaps stay gaps.

A row `(ts, None)` says that from then on nothing was measured, until the next row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Row = tuple[float, float | None]


def is_gap(before: float, at: float, longest_s: float) -> bool:
    """Whether nothing was measured between two readings, by the steady times of their arrival.

    Steady time runs backwards only where another machine counts it: then nobody knows.
    """
    return not 0.0 <= at - before <= longest_s


def with_gaps(readings: Iterable[tuple[float, float, float]], longest_s: float) -> list[Row]:
    """The rows of readings `(ts, at, value)` in the order of time.

    Args:
        readings: With ROS time and the steady time of arrival, s.
        longest_s: Between two readings; after it nothing counts as measured.
    """
    rows: list[Row] = []
    before: tuple[float, float] | None = None
    for ts, at, value in readings:
        if before is not None and is_gap(before[1], at, longest_s):
            rows.append((before[0], None))
        rows.append((ts, value))
        before = ts, at
    return rows


def thinned(rows: Sequence[Row], most: int) -> list[Row]:
    """About so many rows, evenly chosen; the last one and those beside a gap stay."""
    step = len(rows) // most + 1
    return [
        row
        for index, row in enumerate(rows)
        if index % step == 0
        or index == len(rows) - 1
        or any(value is None for _, value in rows[max(index - 1, 0) : index + 2])
    ]


@dataclass(frozen=True)
class Reading:
    """When something was last measured.

    `ts`: ROS time in s. `at`: steady time in s of its arrival; None: never.
    """

    ts: float = 0.0
    at: float | None = None

    def after(self, now: float, at: float | None) -> Reading:
        """The latest reading, if one of that arrival is known now."""
        return self if at == self.at else Reading(now, at)

    def gap_until(self, later: Reading, longest_s: float) -> bool:
        """Whether nothing was measured between this one and a later one."""
        if self.at is None or later.at is None:
            return False
        return is_gap(self.at, later.at, longest_s)
