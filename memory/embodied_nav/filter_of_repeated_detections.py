"""Filters detections that repeat what was observed a moment ago at the same place."""

from __future__ import annotations

import math

from embodied_nav.observation import Position

PERIOD_S = 10.0  # between observations of a thing that does not move
RETURN_S = 1.0  # between those of one thing at a place, if it was elsewhere meanwhile
MOVED_M = 0.5
MOST_KEPT = 2000  # things; beyond it the oldest is dropped, and is observed once more


class RepeatFilter:
    """Keeps the recent observations. Not thread-safe."""

    def __init__(self) -> None:
        self._accepted: dict[str, tuple[float, Position]] = {}

    def passes(self, name: str, place: Position, stamp: float, is_one: bool = False) -> bool:
        """Return whether a percept is new, moved, or was observed long ago; keeps it then.

        A name that is only a class may be many things: each position of it is kept separately.
        `is_one`: the name is that of one thing, which is back where it was if it was elsewhere.
        """
        key = f'{name} {round(place[0] / MOVED_M)} {round(place[1] / MOVED_M)}'
        near = [key, name] if name in self._accepted else [key]
        for each in near:
            last, period_s = self._accepted.get(each), PERIOD_S
            if is_one and each == key:
                period_s = RETURN_S
            if last and 0.0 <= stamp - last[0] < period_s and _distance(last[1], place) < MOVED_M:
                return False
        for each in (key, name):
            self._accepted.pop(each, None)
            self._accepted[each] = (stamp, place)
        while len(self._accepted) > MOST_KEPT:
            del self._accepted[next(iter(self._accepted))]
        return True

    def clear(self) -> None:
        """Let everything pass again."""
        self._accepted.clear()


def _distance(one: Position, other: Position) -> float:
    return math.dist(one[:2], other[:2])
