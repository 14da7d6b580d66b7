"""What the map shows besides the rover."""

from __future__ import annotations

from bt_executive.view.scene import MEMORY, remembered_places, scene_of
from bt_executive.view.stage_values import Place
from rover_common.config.load import load_config

BISHOP = {'id': 'n1', 'name': 'Bishop', 'x': 24.0, 'y': 10, 'radius_m': 0.8}


def test_remembered_places_stand_beside_those_of_the_world() -> None:
    places = scene_of(load_config(), remembered=remembered_places([BISHOP])).places
    assert places[-1] == Place(MEMORY, 'Bishop', 24.0, 10.0, 0.8)
    assert {place.kind for place in places[:-1]} == {'rock'}
    assert scene_of(None, remembered=remembered_places([BISHOP])).places == [places[-1]]


def test_what_a_recording_has_in_the_place_of_places_may_be_anything() -> None:
    odd = [7, {}, {'x': 1.0, 'y': 'a', 'radius_m': 1.0}, {**BISHOP, 'x': 1e300}, None]
    odd.append({**BISHOP, 'radius_m': 10**400})
    assert remembered_places(odd) == []
    assert remembered_places('rock') == []
