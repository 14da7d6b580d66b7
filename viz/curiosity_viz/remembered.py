"""What the memory remembers near the robot, as far as it can be drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from curiosity_viz.marker_text import plain
from curiosity_viz.markers import Point, is_drawable

MOST_PLACES = 200
LONGEST_NAME = 40
LARGEST_M = 50.0
AREA = 'area'  # the kind of what holds several things


@dataclass(frozen=True)
class RememberedPlace:
    """A thing or an area. Middle and width in m, world frame; the name is ASCII, perhaps empty."""

    name: str
    at: Point
    width: float
    is_area: bool = False


def drawable_places(told: Iterable[tuple[str, Point, float]]) -> tuple[RememberedPlace, ...]:
    """The places that can be drawn, of KIND/NAME, middle and width.

    Raises:
        ValueError: There are too many; the sentence says how many.
    """
    given = list(told)
    if len(given) > MOST_PLACES:
        raise ValueError(f'it has {len(given)} places, more than {MOST_PLACES}')
    return tuple(_place(words, at, width) for words, at, width in given if is_drawable(*at, width))


def _place(words: str, at: Point, width: float) -> RememberedPlace:
    kind, _, name = words.partition('/')
    shown = plain(name or kind, LONGEST_NAME)
    return RememberedPlace(shown, at, min(max(width, 0.0), LARGEST_M), kind == AREA)
