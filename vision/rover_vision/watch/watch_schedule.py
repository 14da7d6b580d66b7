"""The schedule of the watch. Pure: from settings, state and time to "look now".

- On at boot: the first look after one interval. Switched on later: after 5 s.
- Then every interval. A look that takes longer than that delays the next one.
- Looks that fail are tried ever more seldom; the first one that works ends that.
- While the rover is in SAFE or CHARGE, or pursues a goal, nothing is looked at; when that is over,
  what was missed is done once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rover_vision.watch.watch_settings import WatchSettings

AFTER_SWITCHING_ON_S = 5.0
BACKOFF = 2.0


class Quiet(str, Enum):
    """Why the watch is silent although it is enabled."""

    SAFE = 'the rover is in SAFE'
    CHARGE = 'the rover rests to charge'
    BUSY = 'the rover pursues a goal'
    UNKNOWN = 'no message from the executive'


@dataclass
class WatchSchedule:
    """Call `due` often, and `ended` when the look that was due has ended.

    Args:
        longest_pause_s: Between two looks while they fail; never shorter than the interval.
    """

    longest_pause_s: float
    _enabled: bool | None = None  # None: before the first call of `due`
    _next_at: float = 0.0
    _looking: bool = False
    _failures: int = 0
    _interval_s: float = 0.0

    def due(self, settings: WatchSettings, quiet: Quiet | None, now: float) -> bool:
        """Return whether to look now. `now`: steady seconds."""
        self._follow(settings, now)
        if not settings.enabled or self._looking or quiet is not None or now < self._next_at:
            return False
        self._looking = True
        self._next_at = now + settings.interval_s
        return True

    def ended(self, succeeded: bool, now: float) -> None:
        """Handle the end of a look. `succeeded`: it has a picture, or the client skipped it."""
        self._looking = False
        self._failures = 0 if succeeded else self._failures + 1
        if self._failures:
            factor = BACKOFF ** min(self._failures, 20)
            pause = min(self._interval_s * factor, max(self.longest_pause_s, self._interval_s))
            self._next_at = now + pause

    def _follow(self, settings: WatchSettings, now: float) -> None:
        at_boot, was_on = self._enabled is None, bool(self._enabled)
        changed = settings.interval_s != self._interval_s
        self._enabled, self._interval_s = settings.enabled, float(settings.interval_s)
        if not settings.enabled:
            self._failures = 0
        elif at_boot:
            self._next_at = now + settings.interval_s
        elif not was_on:
            self._next_at = now + AFTER_SWITCHING_ON_S
        elif changed:
            self._next_at = min(self._next_at, now + settings.interval_s)
