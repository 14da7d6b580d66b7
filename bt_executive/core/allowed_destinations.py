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
from typing import Any, Literal, NamedTuple

from rover_common.finite_number import finite_number

Rule = Literal['never', 'after_recall', 'always']

_NUMBER = re.compile(r'(?<![\w.])[-+−]?\d{1,9}(?:\.\d{1,9})?')
_YES = re.compile(
    r'\s*(?:yes|yeah|yep|ok|okay|sure|go ahead|はい|ええ|うん|是|好|对|可以)\b', re.IGNORECASE
)
_NO = re.compile(r"\b(?:no|not|don't|never)\b|いいえ|いや|だめ|ない|不|别", re.IGNORECASE)
MOST_NUMBERS = 100  # of the operator's words
AS_SAID_M = 0.01
WHERE_IT_WAS_M = 2.0


@dataclass(frozen=True)
class AllowedDestinations:
    """Who has named which places, for one goal.

    Attributes:
        by_operator: The operator asks for this drive himself.
        has_read: The planner has read what strangers may have written, for this goal or in what
            it is told of the past.
        before_restart: It did so before the executive was restarted, or nobody knows.
        said: The operator's words.
        remembered: Places that the memory found, or offered and the operator confirmed: x, y, m
            in the world frame.
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


UNRESTRICTED = AllowedDestinations()


class OfferedPlace(NamedTuple):
    """A place that the memory named without being sure that it is meant; m."""

    name: str
    x: float
    y: float


def places_in(data: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """The places in a tool's result that came out of the memory; what is no place is left out."""
    for each in offered_in(data):
        yield each.x, each.y
    yield from visited_in(data)


def offered_in(data: Mapping[str, Any]) -> Iterator[OfferedPlace]:
    """Yield the places that a recall names, whether or not it is sure of them."""
    places = data.get('places')
    for each in places if isinstance(places, (list, tuple)) else ():
        if isinstance(each, Mapping) and (place := _place_in(each)):
            yield OfferedPlace(str(each.get('name', '')), *place)


def visited_in(data: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    """Return the place that a visit went to, if it came as far as having one."""
    place = _place_in(data)
    return (place,) if place else ()


def confirmed(
    offered: Iterable[OfferedPlace], question: str, answer: str
) -> tuple[tuple[float, float], ...]:
    """Return the offered place that the operator confirmed, if it is plain which one it is.

    He named it in his answer, or said yes to a question that names it.
    """
    by_name = {each.name.casefold(): (each.x, each.y) for each in offered if each.name}

    def named_in(words: str) -> tuple[tuple[float, float], ...]:
        return tuple(place for name, place in by_name.items() if name in words.casefold())

    named = named_in(answer) or (named_in(question) if _YES.match(answer) else ())
    return named if len(named) == 1 and not _NO.search(answer) else ()


def _place_in(data: Mapping[str, Any]) -> tuple[float, float] | None:
    x, y = finite_number(data.get('x')), finite_number(data.get('y'))
    return None if x is None or y is None else (x, y)


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
