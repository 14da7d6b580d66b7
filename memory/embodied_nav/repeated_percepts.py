"""Keeps what a detector reports again and again from being entered each time."""

from __future__ import annotations

import math

from embodied_nav.observed_thing import Position

PERIOD_S = 10.0  # a thing that stays where it is is entered so seldom
MOVED_M = 0.5
MOST_KEPT = 2000  # things; beyond it the oldest is forgotten, and is entered once more


class Sieve:
    """Knows what was entered lately. One thread uses it."""

    def __init__(self) -> None:
        self._entered: dict[str, tuple[float, Position]] = {}

    def passes(self, name: str, place: Position, stamp: float) -> bool:
        """Whether a percept is to be entered: new, moved, or entered long ago. Notes it then.

        What is called as its kind may be many things: each place of it is known by itself.
        """
        key = f'{name} {round(place[0] / MOVED_M)} {round(place[1] / MOVED_M)}'
        near = [key, name] if name in self._entered else [key]
        for each in near:
            known = self._entered.get(each)
            if known and 0.0 <= stamp - known[0] < PERIOD_S and _apart(known[1], place) < MOVED_M:
                return False
        for each in (key, name):
            self._entered.pop(each, None)
            self._entered[each] = (stamp, place)
        while len(self._entered) > MOST_KEPT:
            del self._entered[next(iter(self._entered))]
        return True

    def forget(self) -> None:
        """Everything is worth an entry again."""
        self._entered.clear()


def _apart(one: Position, other: Position) -> float:
    return math.dist(one[:2], other[:2])
