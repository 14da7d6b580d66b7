"""How long ago a thing last changed, by the hearer's own clock."""

from __future__ import annotations

from collections.abc import Hashable


class Freshness:
    """Remembers when a thing last changed. Times in s of one clock; the caller reads it.

    What changed is judged by a mark, such as a stamp, and its age by the hearer's own clock: a
    sender on another clock (a simulator's) is neither too old nor from the future.
    """

    def __init__(self, max_age: float) -> None:
        self.max_age = max_age
        self._mark: Hashable = None
        self._since: float | None = None

    def note(self, mark: Hashable, now: float) -> None:
        """Update with the thing's mark; an unchanged mark is no new reception."""
        if self._since is None or mark != self._mark:
            self._mark, self._since = mark, now

    def age(self, now: float) -> float:
        """Seconds since the latest new mark; infinite if there was none."""
        return float('inf') if self._since is None else now - self._since

    def is_stale(self, now: float) -> bool:
        """Whether the latest new mark is older than allowed."""
        return self.age(now) > self.max_age
