"""North is +y, east is +x, and the way back is the opposite way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from embodied_nav.forest.neighbours_and_directions import direction, opposite
from embodied_nav.observed_thing import Position

AXIS = st.floats(-1e4, 1e4, allow_nan=False)
PLACES = st.tuples(AXIS, AXIS, AXIS)


@pytest.mark.parametrize(
    ('end', 'name', 'phrase'),
    [
        ((0.0, 2.0, 0.0), 'north', 'north of'),
        ((2.0, 0.0, 0.9), 'east', 'east of'),
        ((-2.0, 0.5, 1.0), 'west_above', 'west of and above'),
        ((0.1, -2.0, -1.5), 'south_below', 'south of and below'),
        ((0.0, 0.0, 2.0), 'above', 'above'),
        ((0.0, 0.0, 0.0), 'same_place', 'at the place of'),
        ((1.0, 1.0, 0.0), 'north', 'north of'),
    ],
)
def test_where_a_thing_lies(end: Position, name: str, phrase: str) -> None:
    found = direction((0.0, 0.0, 0.0), end)
    assert (found.name, found.phrase) == (name, phrase)


@given(PLACES, PLACES)
def test_directions_are_antisymmetric(one: Position, two: Position) -> None:
    there, back = direction(one, two), direction(two, one)
    assert back.name == opposite(there.name)
    assert back.distance == there.distance
