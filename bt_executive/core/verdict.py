"""A verdict: what the guards said of a proposal, as data for trace, viewer and model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class GuardReading:
    """What one guard saw and said. `reason` is empty when it allows."""

    guard: str
    reason: str = ''
    seen: Any = None
    passing: bool = False  # the reason is expected to pass by itself: waiting is worthwhile

    @property
    def allowed(self) -> bool:
        """Whether this guard has no objection."""
        return not self.reason


@dataclass(frozen=True)
class Verdict:
    """The guards that were asked, in order, up to the first that refused."""

    tool: str
    readings: tuple[GuardReading, ...]
    allowed_now: tuple[str, ...] = ()

    @property
    def refusal(self) -> GuardReading | None:
        """The guard that refused."""
        return next((reading for reading in self.readings if not reading.allowed), None)

    @property
    def allowed(self) -> bool:
        """Whether the tool may run."""
        return self.refusal is None

    @property
    def reason(self) -> str:
        """Why not; empty when allowed."""
        return self.refusal.reason if self.refusal else ''

    def as_data(self) -> dict[str, Any]:
        """The verdict in JSON values."""
        return {
            'allowed': self.allowed,
            'guard': self.refusal.guard if self.refusal else None,
            'reason': self.reason,
            'asked': {reading.guard: reading.seen for reading in self.readings},
            'allowed_now': list(self.allowed_now),
        }
