"""Conditions for a comment of the watch: it got dark, or something has moved. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from rover_vision.seeing.picture_measurements import Measured, changed_share
from rover_vision.watch.watch_settings import TellWhen

HYSTERESIS = 0.05  # of brightness, so that twilight is reported once


@dataclass
class WatchCondition:
    """Compares each look with the previous ones.

    Args:
        dark_below: Mean brightness, 0 to 1.
        moved_above: Share of the picture that must differ from the one before.
    """

    dark_below: float
    moved_above: float
    _last: Measured | None = None
    _dark: bool = False
    _met: TellWhen | None = None

    def remark(self, when: TellWhen, seen: Measured) -> str | None:
        """Return the comment on this look; None: nothing. The first look has no previous one."""
        before, self._last = self._last, seen
        if when is not self._met:
            self._met, self._dark = when, False
            before = None
        if when is TellWhen.DARK:
            return self._darkness(seen)
        if when is TellWhen.MOTION:
            return self._motion(before, seen)
        return ''

    def _darkness(self, seen: Measured) -> str | None:
        was_dark = self._dark
        limit = self.dark_below + (HYSTERESIS if was_dark else 0.0)
        self._dark = seen.brightness < limit
        if was_dark or not self._dark:
            return None
        return f'It is dark: brightness {seen.brightness:.2f}, the limit is {self.dark_below:g}.'

    def _motion(self, before: Measured | None, seen: Measured) -> str | None:
        if before is None:
            return None
        share = changed_share(before, seen)
        if share is None or share <= self.moved_above:
            return None
        return f'Something has moved: {share * 100:.0f} % of the picture has changed.'
