"""The verdict of the guards on a proposal, as data for trace, viewer and model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple


class GuardCode(Enum):
    """The result of a guard."""

    ALLOWED = 'allowed'
    REFUSED = 'refused'
    NOT_YET = 'not yet'  # refused for a reason that is expected to pass


class GuardReading(NamedTuple):
    """The result of one guard, with the reason of a refusal and the value `seen`."""

    guard: str
    code: GuardCode
    reason: str = ''
    seen: Any = None

    @property
    def allowed(self) -> bool:
        """Return whether the guard allows the tool."""
        return self.code is GuardCode.ALLOWED

    @property
    def passing(self) -> bool:
        """Return whether the reason is expected to pass."""
        return self.code is GuardCode.NOT_YET


def allows(guard: str, seen: Any = None) -> GuardReading:
    """Return the reading of a guard that allows."""
    return GuardReading(guard, GuardCode.ALLOWED, '', seen)


def refuses(guard: str, reason: str, seen: Any = None, *, passing: bool = False) -> GuardReading:
    """Return the reading of a guard that refuses. `passing`: the reason is expected to pass."""
    return GuardReading(guard, GuardCode.NOT_YET if passing else GuardCode.REFUSED, reason, seen)


@dataclass(frozen=True)
class Verdict:
    """The readings of the guards, in order, up to the first that refused.

    `allowed_now`: beside a refusal, the tools whose preconditions hold.
    """

    tool: str
    readings: tuple[GuardReading, ...]
    allowed_now: tuple[str, ...] = ()

    @cached_property
    def refusal(self) -> GuardReading | None:
        """Return the reading of the guard that refused; None: none did."""
        return next((reading for reading in self.readings if not reading.allowed), None)

    @property
    def allowed(self) -> bool:
        """Return whether the tool may run."""
        return self.refusal is None

    @property
    def reason(self) -> str:
        """Return why the tool is refused; empty: it is allowed."""
        return self.refusal.reason if self.refusal else ''

    def as_data(self) -> dict[str, Any]:
        """Return the verdict as JSON values."""
        return {
            'allowed': self.allowed,
            'guard': self.refusal.guard if self.refusal else None,
            'reason': self.reason,
            'asked': {reading.guard: reading.seen for reading in self.readings},
            'allowed_now': list(self.allowed_now),
        }
