"""When the rover must be stopped, and which answer proves that the stop came last."""

from __future__ import annotations

import math


class OwedStop:
    """Decides when a stop is to be sent, and when the rover surely stands still.

    A stop is owed from the beginning: the process that commanded the rover before may have died
    while it was driving.

    Args:
        retry_s: After how long a stop is sent again.
        late_s: How late a request or its answer may come. Later ones count as lost.

    Attributes:
        owed: Whether to send stops until one is answered that surely came last.
        answered_too_early: The latest answer was to a stop that proves nothing: a start may come
            after it.
    """

    def __init__(self, retry_s: float, late_s: float) -> None:
        self._retry_s = retry_s
        self._late_s = late_s
        self._start_open = False
        self._driving = False
        self._start_may_come_until = -math.inf
        self._sent_at: dict[int, float] = {}
        self._next = 0
        self._first_sure = 0
        self._last_sent_at = -math.inf
        self.owed = True
        self.answered_too_early = False

    def owe(self) -> None:
        """The rover must stop."""
        self.owed = True
        self.answered_too_early = False

    def is_precaution(self, now: float) -> bool:
        """Return whether a stop now would end nothing: none is owed, and no start can come."""
        return not (self.owed or self._driving or now < self._start_may_come_until)

    def start_sent(self, now: float) -> None:
        """A start was sent to the rover."""
        self._start_open = self._driving = True
        self._start_may_come_until = now + self._late_s

    def start_settled(self) -> None:
        """The start was answered, or is no longer waited for: only later stops are sure."""
        self._start_open = False
        self._only_later_stops_are_sure()

    def late_start_answered(self) -> None:
        """A start that was given up was answered after all: the rover may be moving.

        The latest start may still be open; then no stop is sure before that one is settled.
        """
        self._only_later_stops_are_sure()
        self.owe()

    def due(self, now: float) -> bool:
        """Return whether a stop is to be sent now, `retry_s` after the latest one.

        One is sent while it is owed, and again until no start can come after it any more.
        """
        wanted = self.owed or (
            not self._driving and self._last_sent_at < self._start_may_come_until
        )
        return wanted and now - self._last_sent_at > self._retry_s

    def rested(self, now: float) -> float:
        """Return how long ago the latest stop was sent, in s."""
        return now - self._last_sent_at

    def unanswered(self, now: float) -> bool:
        """Return whether the rover should stand, and the latest stop has no answer.

        A stop that is not owed counts, too: a late start may have come before it.
        """
        return self.owed or (not self._driving and self._any_unanswered(now))

    def sent(self, now: float) -> int:
        """Takes that a stop was sent; returns its number, for `answered`."""
        number, self._next = self._next, self._next + 1
        fresh = {key: at for key, at in self._sent_at.items() if now - at <= self._late_s}
        self._sent_at = {**fresh, number: now}
        self._last_sent_at = now
        return number

    def answered(self, number: int) -> bool:
        """A stop was answered; True if the rover stands still because of it."""
        self._sent_at = {key: at for key, at in self._sent_at.items() if key > number}
        self.answered_too_early = self._start_open or number < self._first_sure
        if self.answered_too_early:
            return False
        self.owed = self._driving = False
        return True

    def quiet(self, now: float) -> bool:
        """Return whether no stop is owed or unanswered, so that a motion may be requested.

        A stop without an answer is forgotten after `late_s`: its rover is gone.
        """
        return not self.owed and not self._any_unanswered(now)

    def _only_later_stops_are_sure(self) -> None:
        self._first_sure = self._next
        self._last_sent_at = -math.inf

    def _any_unanswered(self, now: float) -> bool:
        return any(now - at <= self._late_s for at in self._sent_at.values())
