"""Remembered places: a post at each thing, a disc of its width, its name; areas by their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from curiosity_viz.markers import (
    GREY,
    PURPLE,
    Marker,
    Point,
    faint,
    is_drawable,
    plain,
    text_marker,
)

REMEMBERED = ('remembered', 'remembered_name', 'remembered_area')

POST_M, POST_WIDTH_M = 1.2, 0.12
RING_M = 0.05  # height of the disc that is as wide as the thing
NAME_M, AREA_NAME_M = 0.4, 0.7
AREA_AT_M = 3.0

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


def drawable_places(published: Iterable[tuple[str, Point, float]]) -> tuple[RememberedPlace, ...]:
    """The places that can be drawn, of KIND/NAME, middle and width.

    Raises:
        ValueError: There are too many; the sentence has their number.
    """
    given = list(published)
    if len(given) > MOST_PLACES:
        raise ValueError(f'it has {len(given)} places, more than {MOST_PLACES}')
    return tuple(
        _read_place(label, at, width) for label, at, width in given if is_drawable(*at, width)
    )


def _read_place(label: str, at: Point, width: float) -> RememberedPlace:
    kind, _, name = label.partition('/')
    shown = plain(name or kind, LONGEST_NAME)
    return RememberedPlace(shown, at, min(max(width, 0.0), LARGEST_M), kind == AREA)


def remembered_markers(places: Sequence[RememberedPlace]) -> list[Marker]:
    """Every place under its place in the list."""
    return [
        marker for number, place in enumerate(places) for marker in _place_markers(number, place)
    ]


def _place_markers(number: int, place: RememberedPlace) -> Iterator[Marker]:
    x, y, z = place.at
    if place.is_area:
        if place.name:
            at = (x, y, z + AREA_AT_M)
            yield text_marker('remembered_area', number, place.name, at, AREA_NAME_M, GREY)
        return
    post, disc = (POST_WIDTH_M, POST_WIDTH_M, POST_M), (place.width, place.width, RING_M)
    middle = (x, y, z + POST_M / 2.0)
    yield Marker('remembered', 2 * number, 'cylinder', PURPLE, post, at=middle)
    yield Marker('remembered', 2 * number + 1, 'cylinder', faint(PURPLE, 0.4), disc, at=place.at)
    if place.name:
        at = (x, y, z + POST_M + NAME_M)
        yield text_marker('remembered_name', number, place.name, at, NAME_M, PURPLE)
