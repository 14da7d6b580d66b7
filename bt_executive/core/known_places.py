"""Which places a drive of the planner's may go to: who named them.

A planner that is a model reads what others wrote: the captions of remembered places, a sign in a
picture, a message of a topic. So the place of a drive comes from the operator's words, from where
the robot has been, or from the memory. docs/decisions/0045-a-drives-place-has-an-origin.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
import math
import re
from typing import Any, Literal

from rover_common.finite_number import finite_number

Rule = Literal['never', 'after_recall', 'always']

_NUMBER = re.compile(r'(?<![\w.])[-+−]?\d{1,9}(?:\.\d{1,9})?')
MOST_NUMBERS = 100  # of the operator's words
AS_SAID_M = 0.01
WHERE_IT_WAS_M = 2.0


@dataclass(frozen=True)
class KnownPlaces:
    """Who has named which places, for one goal.

    Attributes:
        by_operator: The operator asks for this drive himself.
        has_read: The planner has read what strangers may have written, for this goal or in what
            it is told of the past.
        before_restart: It did so before the executive was restarted, or nobody knows.
        said: The operator's words.
        remembered: Places that the memory gave: x, y, m in the world frame.
        been: Where the robot was, the same.
        near_m: A drive may go so near to a remembered place.
    """

    by_operator: bool = True
    has_read: bool = False
    before_restart: bool = False
    said: tuple[str, ...] = ()
    remembered: tuple[tuple[float, float], ...] = ()
    been: tuple[tuple[float, float], ...] = ()
    near_m: float = 0.0

    def bind(self, rule: Rule) -> bool:
        """Whether a drive must have one of these places."""
        if self.by_operator or rule == 'never':
            return False
        return rule == 'always' or self.has_read

    def origin(self, place: tuple[float, float]) -> str | None:
        """Who named a place; None if nobody did."""
        if any(_was_said(place, words) for words in self.said):
            return 'the operator'
        if any(math.dist(place, each) <= self.near_m for each in self.remembered):
            return 'the memory'
        if any(math.dist(place, each) <= WHERE_IT_WAS_M for each in self.been):
            return 'where it was'
        return None


NOBODYS = KnownPlaces()


def places_in(data: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """The places in a tool's result that came out of the memory; what is no place is left out."""
    places = data.get('places')
    for each in (*(places if isinstance(places, (list, tuple)) else ()), data):
        told = each if isinstance(each, Mapping) else {}
        x, y = finite_number(told.get('x')), finite_number(told.get('y'))
        if x is not None and y is not None:
            yield x, y


def _was_said(place: tuple[float, float], words: str) -> bool:
    said = _numbers(words)
    return all(_is_among(value, said) for value in place)


def _is_among(value: float, said: Iterable[float]) -> bool:
    return any(abs(value - each) <= AS_SAID_M for each in said)


@lru_cache(maxsize=64)
def _numbers(words: str) -> tuple[float, ...]:
    """The numbers in some words, in whatever digits."""
    found = (match[0].replace('−', '-') for match in _NUMBER.finditer(words))
    return tuple(float(each) for _, each in zip(range(MOST_NUMBERS), found, strict=False))
