"""Destinations of drives: allowed ones, viewpoints, and the warning about a long path. Pure.

A planner that is a model reads texts of others: the captions of remembered places, a sign in a
picture, a message of a topic. So the destination must come from the operator's text, from the
robot's own path, or from the memory. docs/decisions/0045-a-drives-place-has-an-origin.md
A viewpoint is where the robot drives to check that something is where the memory has it. In m.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
import math
import re
from typing import Any, Literal, NamedTuple

from rover_common.geometry.planar_motion import Pose2D
from rover_common.json_values import finite_number

Rule = Literal['never', 'after_recall', 'always']

_NUMBER = re.compile(r'(?<![\w.])[-+−]?\d{1,9}(?:\.\d{1,9})?')
_YES = re.compile(
    r'\s*(?:yes|yeah|yep|ok|okay|sure|go ahead|はい|ええ|うん|是|好|对|可以)\b', re.IGNORECASE
)
_NO = re.compile(r"\b(?:no|not|don't|never)\b|いいえ|いや|だめ|ない|不|别", re.IGNORECASE)
MAX_NUMBERS = 100  # that are read of a text
TEXT_TOLERANCE_M = 0.01
SENTENCE_TOLERANCE_M = 0.051  # sentences about remembered places have one decimal
_LETTER = r'[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]'  # of a script with blanks between words
VISITED_RADIUS_M = 2.0


@dataclass(frozen=True)
class AllowedDestinations:
    """The places with a known origin, for one goal.

    Attributes:
        has_read: The planner has read texts of unknown origin, for this goal or in its history.
        remembered: Places that the memory found, or offered and the operator confirmed: x, y, m
            in the world frame.
    """

    by_operator: bool = True  # the operator requested this drive
    has_read: bool = False
    before_restart: bool = False  # it may have done so before the executive was restarted
    operator_texts: tuple[str, ...] = ()  # the operator's goal and answers
    remembered: tuple[tuple[float, float], ...] = ()
    visited: tuple[tuple[float, float], ...] = ()  # where the robot was: x, y, m
    near_m: float = 0.0  # largest distance of a destination from a remembered place

    def restricts(self, rule: Rule) -> bool:
        """Return whether a drive must have one of these destinations."""
        if self.by_operator or rule == 'never':
            return False
        return rule == 'always' or self.has_read

    def origin(self, place: tuple[float, float]) -> str | None:
        """Return where a place comes from; None: not known."""
        if any(_is_in_text(place, text) for text in self.operator_texts):
            return 'the operator'
        if any(math.dist(place, each) <= self.near_m for each in self.remembered):
            return 'the memory'
        if any(math.dist(place, each) <= VISITED_RADIUS_M for each in self.visited):
            return 'where it was'
        return None


UNRESTRICTED = AllowedDestinations()


class OfferedPlace(NamedTuple):
    """A place that the memory offers without being sure that it is meant; m.

    `place_id`: of the memory, whose later offers replace earlier ones; empty: not known.
    """

    name: str
    x: float
    y: float
    place_id: str = ''


def places_in(data: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """Yield the places of the memory in a tool's result; what is no place is left out."""
    for place in offered_in(data):
        yield place.x, place.y
    yield from visited_in(data)


def offered_in(data: Mapping[str, Any]) -> Iterator[OfferedPlace]:
    """Yield the places that a recall names, sure or not."""
    places = data.get('places')
    for each in places if isinstance(places, (list, tuple)) else ():
        if isinstance(each, Mapping) and (place := _place_in(each)):
            name, place_id = (str(each.get(key, '')) for key in ('name', 'id'))
            yield OfferedPlace(name, *place, place_id)


def visited_in(data: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    """Return the place that a visit drove to, if it had chosen one."""
    place = _place_in(data)
    return (place,) if place else ()


def confirmed(
    offered: Iterable[OfferedPlace], question: str, answer: str
) -> tuple[tuple[float, float], ...]:
    """Return the offered place that the operator confirmed, if exactly one is meant.

    The answer names it, or is a yes to a question that names it. Of several places with one name
    it is the one whose x and y are given, too.
    """
    latest = {each.place_id or each: each for each in offered if any(map(str.isalnum, each.name))}

    def named_in(text: str) -> set[tuple[float, float]]:
        named = [each for each in latest.values() if _is_named_in(each.name, text)]
        places = {(each.x, each.y) for each in named}
        if len({each.name.casefold() for each in named}) > 1:
            return places
        given = {each for each in places if _is_in_text(each, text, SENTENCE_TOLERANCE_M)}
        return given or places

    yes = _YES.match(answer)
    named = named_in(answer[yes.end() :] if yes else answer) or (
        named_in(question) if yes else set()
    )
    return tuple(named) if len(named) == 1 and not _NO.search(answer) else ()


def _is_named_in(name: str, text: str) -> bool:
    """Return whether a text has a name that is no part of a longer word."""
    pattern = rf'(?<!{_LETTER}){re.escape(name.casefold())}(?!{_LETTER})'
    return re.search(pattern, text.casefold()) is not None


def _place_in(data: Mapping[str, Any]) -> tuple[float, float] | None:
    x, y = finite_number(data.get('x')), finite_number(data.get('y'))
    return None if x is None or y is None else (x, y)


def _is_in_text(
    place: tuple[float, float], text: str, tolerance_m: float = TEXT_TOLERANCE_M
) -> bool:
    numbers = _numbers(text)
    return all(any(abs(value - number) <= tolerance_m for number in numbers) for value in place)


@lru_cache(maxsize=64)
def _numbers(text: str) -> tuple[float, ...]:
    """Return the first numbers of a text, in the digits of any script."""
    numbers = (match[0].replace('−', '-') for match in _NUMBER.finditer(text))
    return tuple(float(each) for each in islice(numbers, MAX_NUMBERS))


TOO_NEAR_M = 2.0  # from the edge of a thing that the robot stands beside, it may be below the view


@dataclass(frozen=True)
class RememberedPlace:
    """The result of a recall: position and radius, m in the world frame.

    `named`: the place was named by somebody, and the robot is there within its radius.
    """

    place_id: str
    name: str
    x: float
    y: float
    radius_m: float = 0.5
    named: bool = False


@dataclass(frozen=True)
class View:
    """The robot's field of view: range, and half angle around its heading."""

    view_m: float
    half_view_rad: float
    standoff_m: float


def is_in_view(robot: Pose2D, place: RememberedPlace, view: View) -> bool:
    """Return whether a place is in view without a drive, if nothing is in between.

    A named place has nothing to see: the robot is there, or it is not.
    """
    away = math.dist((robot.x, robot.y), (place.x, place.y))
    if place.named:
        return away <= place.radius_m
    aside = math.remainder(_bearing(robot, place) - robot.yaw, math.tau)
    near_enough = place.radius_m + TOO_NEAR_M <= away <= view.view_m + place.radius_m
    return near_enough and abs(aside) <= view.half_view_rad


def viewpoint(robot: Pose2D, place: RememberedPlace, view: View) -> Pose2D:
    """Return where to drive: on the straight line to the place, at the standoff, facing it.

    At a named place, the viewpoint is the place itself.
    """
    bearing = _bearing(robot, place)
    away = 0.0 if place.named else place.radius_m + view.standoff_m
    return Pose2D(place.x - away * math.cos(bearing), place.y - away * math.sin(bearing), bearing)


def _bearing(robot: Pose2D, place: RememberedPlace) -> float:
    return math.atan2(place.y - robot.y, place.x - robot.x)


# A path is long beyond this share of the straight line plus this length.
LONG_SHARE, LONG_M = 1.5, 3.0


def why_long(path_m: float, straight_m: float, detour: str) -> str:
    """Return that a path is long, and why; empty: it is not, or its tool gives no reason.

    `detour`: of the tool's `destination` in the robot's file.
    """
    if not detour or path_m < LONG_SHARE * straight_m + LONG_M:
        return ''
    return f'{path_m:.0f} m to a place {straight_m:.1f} m away: {detour}'
