"""When a snapshot stream sends: on a change, and when its period is over."""

from __future__ import annotations

from collections.abc import Callable
import math

NEARLY = 0.98  # of the period: a tick that comes a little early is not put off by a whole tick


class Pace:
    """The rhythm of one stream. Times in s of a steady clock; `math.inf`: only on a change."""

    def __init__(self, period_s: float) -> None:
        self.set_period(period_s)
        self._sent_at: float | None = None
        self._owed = True  # a change that no viewer has been shown; so the first message is one

    def set_period(self, period_s: float) -> None:
        """Takes over the period; what is no number means that there is none."""
        self._period_s = math.inf if math.isnan(period_s) else max(period_s, 0.0)

    def is_due(self, now: float) -> bool:
        """Whether something would be sent, though nothing has changed, if anybody listens."""
        return self._owed or self._period_is_over(now)

    def ask(self, changed: bool, is_listened: Callable[[], bool], now: float) -> bool | None:
        """The `changed` of the message to send at this tick; None: none is due.

        Whether anybody listens is asked only when something would be sent.
        """
        self._owed = self._owed or changed
        if not self.is_due(now) or not is_listened():
            return None
        flag, self._owed, self._sent_at = self._owed, False, now
        return flag

    def _period_is_over(self, now: float) -> bool:
        return self._sent_at is not None and now - self._sent_at >= NEARLY * self._period_s
