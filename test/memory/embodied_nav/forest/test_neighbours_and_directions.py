"""North is +y, east is +x, and the way back is the opposite way."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
import pytest

from embodied_nav.forest.neighbours_and_directions import (
    MOST_BESIDE,
    direction,
    nearest_neighbours,
    opposite,
)
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import Position

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


@given(count=st.integers(1, 60), width=st.sampled_from([0.0, 0.5, 4.0, 30.0]), seed=st.integers())
def test_a_node_names_its_nearest_few(count: int, width: float, seed: int) -> None:
    chance = random.Random(seed)
    nodes = [
        Node(node_id=f'n{at}', name='n', position=(chance.random() * width, 0.0, 0.0))
        for at in range(count)
    ]
    found = nearest_neighbours(nodes)
    pairs = {(one, other) for one, others in found.items() for other in others}
    at = {node.node_id: node.position[0] for node in nodes}
    assert all((other, one) in pairs and one != other for one, other in pairs)
    assert all(abs(at[one] - at[other]) <= 3.0 for one, other in pairs)
    assert len(pairs) <= 2 * MOST_BESIDE * count
    for node in nodes:
        within = sum(abs(at[node.node_id] - x) <= 3.0 for x in at.values()) - 1
        assert len(found.get(node.node_id, ())) >= min(within, MOST_BESIDE)
