"""What can be drawn of keep-out zones, and of what the memory remembers near the robot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from curiosity_viz.markers import Point, is_drawable, plain
from rover_common.config.settings import KeepOutZone

MOST_ZONES = 50
MOST_CORNERS = 200


def drawable_zones(zones: tuple[KeepOutZone, ...]) -> tuple[KeepOutZone, ...]:
    """Return the zones.

    Raises:
        ValueError: They are too much to draw, or out of sight; the sentence says which.
    """
    if len(zones) > MOST_ZONES:
        raise ValueError(f'it has {len(zones)} zones, more than {MOST_ZONES}')
    for zone in zones:
        if len(zone.polygon) > MOST_CORNERS:
            raise ValueError(f'a zone has {len(zone.polygon)} corners, more than {MOST_CORNERS}')
        if not all(is_drawable(*corner) for corner in zone.polygon):
            raise ValueError('a corner of a zone is out of sight')
    return zones


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
