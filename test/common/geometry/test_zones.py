"""Keep-out zones as text: there and back, and what is not a list of polygons."""

from __future__ import annotations

import json
import math

from hypothesis import assume, given
from hypothesis import strategies as st
import pytest

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.zones import ZoneAreas, area_of, zones_from_json, zones_to_json

STRIP = '[{{"name": "strip", "polygon": [[10, -{0}], [10, {0}], [11, {0}], [11, -{0}]]}}]'


def ring(corners: int) -> KeepOutZone:
    """A round zone of 5 m, unchecked."""
    angles = [math.tau * index / corners for index in range(corners)]
    polygon = tuple((5.0 * math.cos(each), 5.0 * math.sin(each)) for each in angles)
    return KeepOutZone.model_construct(name='ring', polygon=polygon)


def as_text(*zones: KeepOutZone) -> str:
    return json.dumps([zone.model_dump() for zone in zones])


metres = st.floats(-1e4, 1e4)


@given(
    name=st.text(max_size=200),
    corners=st.lists(st.tuples(metres, metres), min_size=3, max_size=3, unique=True),
)
def test_zones_come_back_as_they_went(name: str, corners: list[tuple[float, float]]) -> None:
    zone = KeepOutZone(name=name, polygon=tuple(corners))
    try:
        area_of(zone)
    except ValueError:
        assume(False)
    assert zones_from_json(zones_to_json([zone])) == (zone,)


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('no JSON', 'JSON'),
        ('{}', 'array'),
        ('[{"name": "line", "polygon": [[0, 0], [1, 1]]}]', 'at least 3'),
        ('[{"name": "bow", "polygon": [[0, 0], [1, 1], [1, 0], [0, 1]]}]', "zone 'bow'"),
        ('[{"name": "far", "polygon": [[0, 0], [1, "NaN"], [1, 0]]}]', 'polygon.1'),
        ('[{"name": "all", "polygon": [[0, 0], [1e200, 0], [0, 1e200]]}]', 'polygon.1.0'),
        (STRIP.format(1e154), 'polygon.0.1: input should be greater than or equal to -10000000'),
        ('[{"name": "slant", "polygon": [[0, 0], [1e16, 1e16], [1e16, 1e15]]}]', 'polygon.1.0'),
        ('[{"name": "dot", "polygon": [[0, 0], [1e-200, 0], [0, 1e-200]]}]', 'not a simple'),
        (as_text(ring(1001)), 'at most 1000'),
        (as_text(*[ring(1000)] * 6), '6000 corners together, more than 5000'),
        (as_text(KeepOutZone.model_construct(name='x' * 201, polygon=ring(3).polygon)), '200'),
        ('[' * 1_000_001, '1000001 characters, more than 1000000'),
    ],
)
def test_what_is_not_a_list_of_zones_says_why(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        zones_from_json(text)
    assert '\n' not in str(caught.value)
    assert 'pydantic' not in str(caught.value)


@pytest.mark.parametrize('reach', [1.0, 1e3, 1e7])
def test_a_strip_as_long_as_allowed_is_in_the_way(reach: float) -> None:
    areas = ZoneAreas(zones_from_json(STRIP.format(reach)))
    assert areas.near([(0.0, 0.0), (20.0, 0.0)], 0.0) == (0,)


def test_as_many_corners_as_allowed_are_taken() -> None:
    zones = zones_from_json(as_text(*[ring(1000)] * 5))
    assert ZoneAreas(zones).near([(5.5, 0.0)], 1.0) == (0, 1, 2, 3, 4)
