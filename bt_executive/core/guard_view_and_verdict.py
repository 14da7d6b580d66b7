"""What a guard is given (the view of state and tool) and what it returns (reading and verdict).

A verdict is data for trace, viewer and model.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
import math
from types import MappingProxyType
from typing import Any, NamedTuple

from bt_executive.core.drive_destinations import UNRESTRICTED, AllowedDestinations
from bt_executive.core.round_decision import Usage
from bt_executive.core.state import BrainState
from rover_common.clocks import Now
from rover_common.config.settings import ExecutiveSettings, KeepOutZone, PartCondition
from rover_common.geometry.keep_out import ZoneAreas


class ZoneCache:
    """Caches the shapes of the keep-out zones until the zones change."""

    def __init__(self) -> None:
        self._zones: tuple[tuple[KeepOutZone, ...], ...] = ()
        self._areas = ZoneAreas()

    def areas(
        self, configured: tuple[KeepOutZone, ...], reported: tuple[KeepOutZone, ...]
    ) -> ZoneAreas:
        """Returns the shapes of the configured and of the reported zones."""
        zones = (configured, reported)
        if zones != self._zones:  # the same objects compare at once
            self._zones, self._areas = zones, ZoneAreas((*configured, *reported))
        return self._areas


@dataclass(frozen=True)
class MotionAhead:
    """The motion, or the rest of it, that a tool is going to make. See `path_of_motion`."""

    speed_m_s: float
    radius_m: float
    seconds: float


class GuardView(NamedTuple):
    """What a precondition may read; `holders`: resource → call id."""

    state: BrainState
    settings: ExecutiveSettings  # some can be set while the executive runs
    now: Now
    holders: Mapping[str, str]
    call_id: str  # the tool's call
    usage: Usage = Usage()
    motion: MotionAhead | None = None
    destination: tuple[float, float] | None = None  # where the tool drives to, on any path
    drives: bool = True  # the tool may move the base
    keep_out: ZoneAreas = ZoneAreas()  # configured and reported
    places: AllowedDestinations = UNRESTRICTED  # of a drive that the planner proposes
    running: bool = False  # the tool has begun
    settled: bool = True  # the status is younger than the end of the previous tool
    changed_at: float = (
        -math.inf
    )  # steady s: a value of a topic until then may be older than that end
    tool: str = ''  # empty: any
    arguments: Mapping[str, Any] = MappingProxyType({})  # of the tool; they fit its schema
    gate: str = ''  # of the tool; empty: it has none
    moved_gates: Collection[str] = ()  # at which the executive permits a motion now
    permitted_at: float | None = None  # when the tool's motion was permitted, steady s; None: not
    charges: bool = False  # the tool drives to the charger, or is a step of that tool

    def age(self, seen_at: float) -> float:
        """Return the age in s of a reading that arrived at `seen_at`.

        For a running tool, a suspension of the executive itself does not count. A tool begins
        only on readings that have arrived since.
        """
        return self.now.silent_for(seen_at) if self.running else self.now.steady - seen_at

    def is_past(self, condition: PartCondition) -> bool:
        """Return whether a condition that applies at the start only has passed."""
        return self.running and condition.at == 'start'


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
