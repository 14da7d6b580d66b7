"""A clock for tests and measurements. Only test/ and bench/ import this file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class ManualClock:
    """Shows `now`, in s, until somebody sets it; called like `time.monotonic`."""

    now: float = 0.0

    def __call__(self) -> float:
        """The time that it shows."""
        return self.now
