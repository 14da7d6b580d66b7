"""When the watch looks. Pure: settings, state and time go in, "look now" comes out.

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
    """Why the watch is silent although it is on."""

    SAFE = 'the rover is in SAFE'
    CHARGE = 'the rover rests to charge'
    BUSY = 'the rover pursues a goal'
    UNKNOWN = 'no message from the executive'


@dataclass
class WatchSchedule:
    """Call `due` often; call `ended` when the look that it asked for has ended.

    Args:
        longest_pause_s: Between two looks while they fail; never shorter than the interval.
    """

    longest_pause_s: float
    _enabled: bool | None = None  # None: nobody has asked yet
    _next_at: float = 0.0
    _looking: bool = False
    _failures: int = 0
    _interval_s: float = 0.0

    def due(self, settings: WatchSettings, quiet: Quiet | None, now: float) -> bool:
        """Whether to look now. `now`: steady seconds."""
        self._follow(settings, now)
        if not settings.enabled or self._looking or quiet is not None or now < self._next_at:
            return False
        self._looking = True
        self._next_at = now + settings.interval_s
        return True

    def ended(self, well: bool, now: float) -> None:
        """The look has ended. `well`: something was seen, or the client did not want it."""
        self._looking = False
        self._failures = 0 if well else self._failures + 1
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
