"""Keep-out zones: taken as they are, or refused with the reason; paths that come too near."""

from __future__ import annotations

import math

from hypothesis import assume, given
from hypothesis import strategies as st
import pytest

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import KeepOut, ZoneAreas, area_of, read_zones

SQUARE = ((4.0, -2.0), (8.0, -2.0), (8.0, 2.0), (4.0, 2.0))


@pytest.fixture
def keep_out() -> KeepOut:
    return KeepOut([KeepOutZone(name='crater', polygon=SQUARE)])


def test_a_path_may_not_come_nearer_than_the_margin(keep_out: KeepOut) -> None:
    assert keep_out.intrusion([(0.0, 0.0), (2.5, 0.0)], 1.0) is None
    assert keep_out.intrusion([(0.0, 0.0), (3.5, 0.0)], 1.0) == 'crater'


@pytest.mark.parametrize('start', [3.5, 4.5])
def test_who_is_too_near_or_inside_may_leave_but_not_go_deeper(
    keep_out: KeepOut, start: float
) -> None:
    assert keep_out.intrusion([(start, 0.0), (start - 0.3, 0.0)], 1.0) is None
    assert keep_out.intrusion([(start, 0.0), (start + 0.3, 0.0)], 1.0) == 'crater'


@pytest.mark.parametrize('start', [3.5, 4.0, 4.1, 5.9])
@pytest.mark.parametrize('end', [7.95, 8.0, 12.0])
def test_a_way_through_the_middle_goes_deeper_wherever_it_begins_and_ends(
    keep_out: KeepOut, start: float, end: float
) -> None:
    assert keep_out.intrusion([(start, 0.0), (end, 0.0)], 1.0) == 'crater'


def test_a_path_of_any_length_is_looked_at() -> None:
    wide = KeepOut([KeepOutZone(name='plain', polygon=((-1e7, 0), (1e7, 0), (1e7, 9), (-1e7, 9)))])
    assert wide.intrusion([(-1e6, 0.1), (1e6, 8.9)], 1.0) == 'plain'


def test_told_zones_replace_each_other_and_never_the_configured_ones(keep_out: KeepOut) -> None:
    keep_out.update((KeepOutZone(name='cliff', polygon=((0, 5), (9, 5), (9, 6))),))
    assert [zone.name for zone in keep_out.zones] == ['crater', 'cliff']
    keep_out.update(())
    assert [zone.name for zone in keep_out.zones] == ['crater']


Published = tuple[str, list[tuple[float, float]]]


def strip(reach: float) -> Published:
    return 'strip', [(10, -reach), (10, reach), (11, reach), (11, -reach)]


def ring(corners: int) -> KeepOutZone:
    """A round zone of 5 m, unchecked."""
    angles = [math.tau * index / corners for index in range(corners)]
    polygon = tuple((5.0 * math.cos(each), 5.0 * math.sin(each)) for each in angles)
    return KeepOutZone.model_construct(name='ring', polygon=polygon)


def published(zone: KeepOutZone) -> Published:
    return zone.name, list(zone.polygon)


metres = st.floats(-1e4, 1e4)


@given(
    name=st.text(max_size=200),
    corners=st.lists(st.tuples(metres, metres), min_size=3, max_size=3, unique=True),
)
@pytest.mark.slow
def test_zones_come_back_as_they_went(name: str, corners: list[tuple[float, float]]) -> None:
    zone = KeepOutZone(name=name, polygon=tuple(corners))
    try:
        area_of(zone)
    except ValueError:
        assume(False)
    assert read_zones([published(zone)]) == (zone,)


@pytest.mark.parametrize(
    ('zones', 'said'),
    [
        ([('line', [(0, 0), (1, 1)])], "zone 'line': polygon: .*at least 3"),
        ([('bow', [(0, 0), (1, 1), (1, 0), (0, 1)])], "zone 'bow' is not a simple"),
        ([('far', [(0, 0), (1, math.nan), (1, 0)])], "zone 'far': polygon.1"),
        ([('all', [(0, 0), (1e200, 0), (0, 1e200)])], 'polygon.1.0'),
        ([strip(1e154)], 'polygon.0.1: input should be greater than or equal to -10000000'),
        ([('slant', [(0, 0), (1e16, 1e16), (1e16, 1e15)])], 'polygon.1.0'),
        ([('dot', [(0, 0), (1e-200, 0), (0, 1e-200)])], 'not a simple'),
        ([published(ring(1001))], 'at most 1000'),
        ([published(ring(1000))] * 6, '6000 corners together, more than 5000'),
        ([('x' * 201, published(ring(3))[1])], '200'),
        ([published(ring(3))] * 201, '201 zones, more than 200; give fewer'),
    ],
)
def test_what_is_no_zone_says_why(zones: list[Published], said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        read_zones(zones)
    assert '\n' not in str(caught.value)
    assert 'pydantic' not in str(caught.value)


@pytest.mark.parametrize('reach', [1.0, 1e3, 1e7])
def test_a_strip_as_long_as_allowed_is_in_the_way(reach: float) -> None:
    areas = ZoneAreas(read_zones([strip(reach)]))
    assert areas.near([(0.0, 0.0), (20.0, 0.0)], 0.0) == (0,)


def test_as_many_corners_as_allowed_are_taken() -> None:
    zones = read_zones([published(ring(1000))] * 5)
    assert ZoneAreas(zones).near([(5.5, 0.0)], 1.0) == (0, 1, 2, 3, 4)
