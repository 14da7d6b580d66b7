"""Keep-out zones as text: there and back, and what is not a list of polygons."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
import pytest

from bt_executive.settings import KeepOutZone
from bt_executive.zones import area_of, zones_from_json, zones_to_json

metres = st.floats(-1e4, 1e4)


@given(
    name=st.text(),
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
        ('[{"name": "all", "polygon": [[0, 0], [1e200, 0], [0, 1e200]]}]', "zone 'all' is too"),
    ],
)
def test_what_is_not_a_list_of_zones_says_why(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        zones_from_json(text)
    assert '\n' not in str(caught.value)
    assert 'pydantic' not in str(caught.value)
