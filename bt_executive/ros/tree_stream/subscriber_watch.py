"""Whether a stream still has a viewer. A viewer that crashes never closes what it opened."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grace:
    """How long (s) a stream is kept without a subscriber."""

    to_come: float = 30.0  # a viewer must discover the publisher; a person types the topic's name
    to_return: float = 10.0


class SubscriberWatch:
    """Counts the seconds (steady clock) for which nobody was there."""

    def __init__(self, grace: Grace, now: float) -> None:
        self._grace = grace
        self._seen_at = now
        self._limit = grace.to_come

    def note(self, subscribers: int, now: float) -> int:
        """Takes down how many subscribers there are now, and returns it."""
        if subscribers:
            self._seen_at, self._limit = now, self._grace.to_return
        return subscribers

    def is_over(self, now: float) -> bool:
        """Whether the stream may be dropped."""
        return now - self._seen_at > self._limit
