"""A verdict: what the guards said of a proposal, as data for trace, viewer and model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple


class GuardCode(Enum):
    """What a guard says."""

    ALLOWED = 'allowed'
    REFUSED = 'refused'
    NOT_YET = 'not yet'  # refused, for a reason that is expected to pass by itself


class GuardReading(NamedTuple):
    """What one guard saw and said, with the reason of a refusal. See `allows` and `refuses`."""

    guard: str
    code: GuardCode
    reason: str = ''
    seen: Any = None

    @property
    def allowed(self) -> bool:
        """Whether this guard has no objection."""
        return self.code is GuardCode.ALLOWED

    @property
    def passing(self) -> bool:
        """Whether waiting is worthwhile."""
        return self.code is GuardCode.NOT_YET


def allows(guard: str, seen: Any = None) -> GuardReading:
    """The guard has no objection."""
    return GuardReading(guard, GuardCode.ALLOWED, '', seen)


def refuses(guard: str, reason: str, seen: Any = None, *, passing: bool = False) -> GuardReading:
    """The guard refuses. `passing`: the reason is expected to pass by itself."""
    return GuardReading(guard, GuardCode.NOT_YET if passing else GuardCode.REFUSED, reason, seen)


@dataclass(frozen=True)
class Verdict:
    """The guards that were asked, in order, up to the first that refused.

    `allowed_now`: beside a refusal, the tools whose preconditions hold.
    """

    tool: str
    readings: tuple[GuardReading, ...]
    allowed_now: tuple[str, ...] = ()

    @cached_property
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
