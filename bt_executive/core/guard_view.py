"""The view of the state that every guard reads, with the tool that is asked about."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
import math
from types import MappingProxyType
from typing import Any, NamedTuple

from bt_executive.core.allowed_destinations import UNRESTRICTED, AllowedDestinations
from bt_executive.core.goal_usage import Usage
from bt_executive.core.state import BrainState
from rover_common.clocks import Now
from rover_common.config.settings import ExecutiveSettings, KeepOutZone, PartCondition
from rover_common.geometry.keep_out import ZoneAreas


class ZoneCache:
    """The zones that hold as shapes, which are made anew only when the zones have changed."""

    def __init__(self) -> None:
        self._zones: tuple[tuple[KeepOutZone, ...], ...] = ()
        self._areas = ZoneAreas()

    def areas(
        self, configured: tuple[KeepOutZone, ...], told: tuple[KeepOutZone, ...]
    ) -> ZoneAreas:
        """The shapes of the configured zones and of those that were told."""
        zones = (configured, told)
        if zones != self._zones:  # the same objects compare at once
            self._zones, self._areas = zones, ZoneAreas((*configured, *told))
        return self._areas


@dataclass(frozen=True)
class MotionAhead:
    """The motion that a tool would make, or has still to make. See `path_of_motion`."""

    speed_m_s: float
    radius_m: float
    seconds: float


class GuardView(NamedTuple):
    """What a precondition may look at; `holders`: resource → call id."""

    state: BrainState
    settings: ExecutiveSettings  # some can be set while the executive runs
    now: Now
    holders: Mapping[str, str]
    call_id: str  # the call that asks
    usage: Usage = Usage()
    motion: MotionAhead | None = None
    destination: tuple[float, float] | None = None  # where the tool drives to, by any way
    drives: bool = True  # whether the tool may move the base
    keep_out: ZoneAreas = ZoneAreas()  # configured and told
    places: AllowedDestinations = UNRESTRICTED  # that a drive of the planner's may go to
    running: bool = False  # whether the tool has begun
    settled: bool = True  # whether the status is younger than the end of the tool before
    changed_at: float = (
        -math.inf
    )  # steady s: what a topic told until then may be of before its end
    tool: str = ''  # that is asked about; empty: any
    arguments: Mapping[str, Any] = MappingProxyType({})  # of the tool; they fit its schema
    gate: str = ''  # by which the tool moves; empty: it has none
    moved_gates: Collection[str] = ()  # at which the executive permits a motion now
    permitted_at: float | None = None  # since when the tool may move, in steady s; None: not now
    charges: bool = False  # whether the tool is the one that drives to the charger, or of it

    def age(self, seen_at: float) -> float:
        """How old is what was heard last of something, in s.

        What runs goes on over a time in which the executive itself heard nobody. Nothing begins
        on what was known before it.
        """
        return self.now.silent_for(seen_at) if self.running else self.now.steady - seen_at

    def is_past(self, condition: PartCondition) -> bool:
        """Return whether a condition that is asked at the start only is asked no more."""
        return self.running and condition.at == 'start'
