"""Steady time without the pauses of the machine, for nodes in the test's own process."""

from __future__ import annotations

import time

# Longer than the adapter's own look at the clock, shorter than any of its limits.
LONGEST_STEP_S = 0.1


class UnshakenClock:
    """Passes as steady time does, by no more than `LONGEST_STEP_S` between two readings.

    A process that was not let run for a second finds its peers, who live in the same one, as old
    as before.
    """

    def __init__(self) -> None:
        self._now = self._read_at = time.monotonic()

    def __call__(self) -> float:
        """This moment in s."""
        read_at = time.monotonic()
        self._now += min(read_at - self._read_at, LONGEST_STEP_S)
        self._read_at = read_at
        return self._now
