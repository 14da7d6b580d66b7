"""A look is kept with the place it was taken from, if that is surely known."""

from __future__ import annotations

import math
from typing import Any

from known import known
import pytest

from rover_vision.place_of_look import Sight, place_of

SIGHT = Sight(8.0, 0.9)
POSE = (1.0, 2.0, math.pi / 2)


def thing(name: str, x: float, y: float, **others: Any) -> dict[str, Any]:
    return {'id': f'id-{name}', 'name': name, 'x': x, 'y': y, 'state': 'SEEN'} | others


def test_what_the_memory_has_in_the_direction_of_the_look_is_pointed_at() -> None:
    places = [
        thing('far', 1.0, 11.0),
        thing('ahead', 1.0, 7.0),
        thing('near', 1.5, 4.0),
        thing('behind', 1.0, -2.0),
        thing('gone', 1.0, 5.0, state='RETRACTED'),
        thing('beside', 5.0, 2.0),
    ]
    place = known(place_of(POSE, 100.0, places, 100.5, SIGHT))
    assert (place.x, place.y) == (1.0, 2.0)
    assert [(each.place_id, each.away_m) for each in place.remembered] == [
        ('id-near', 2.06),
        ('id-ahead', 5.0),
    ]
    assert place.as_text() == (
        'Remembered in this direction, not seen now: near (2.1 m), ahead (5.0 m).'
    )


def test_a_heading_just_across_half_a_turn_is_near() -> None:
    rock, west = thing('rock', -5.0, -0.5), (0.0, 0.0, math.pi - 0.1)
    place = known(place_of(west, 100.0, [rock], 100.0, SIGHT))
    assert [each.name for each in place.remembered] == ['rock']


@pytest.mark.parametrize(
    ('pose', 'at'),
    [
        (POSE, 90.0),
        (POSE, 110.0),
        (POSE, 'now'),
        (POSE, None),
        ((1.0, math.nan, 0.0), 100.0),
        ((1.0, math.inf, 0.0), 100.0),
    ],
)
def test_a_place_that_is_not_surely_that_of_the_picture_is_none(pose: Any, at: Any) -> None:
    assert place_of(pose, at, [], 100.0, SIGHT) is None


@pytest.mark.parametrize(
    'places',
    [None, 7, [7, {}, thing('', 1, 4), thing('x', 1, None), thing('x', 1, 10**400)]],  # type: ignore[arg-type]
)
def test_odd_places_are_left_out(places: Any) -> None:
    place = known(place_of(POSE, 100.0, places, 100.0, SIGHT))
    assert place.remembered == ()
    assert place.as_text() == ''


def test_names_are_one_line_and_bounded() -> None:
    odd = thing('a\nb' + 'x' * 500, 1.0, 4.0)
    place = known(place_of(POSE, 100.0, [odd], 100.0, SIGHT))
    (found,) = place.remembered
    assert '\n' not in found.name
    assert len(found.name) <= 120
