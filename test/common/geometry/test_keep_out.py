"""Zones from the configuration and from a topic, and paths that come too near."""

from __future__ import annotations

import json

import pytest

from rover_common.config.settings import KeepOutZone
from rover_common.geometry.keep_out import KeepOut

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


def test_told_zones_replace_each_other_and_never_the_configured_ones(keep_out: KeepOut) -> None:
    told = [{'name': 'cliff', 'polygon': [[0, 5], [9, 5], [9, 6]]}]
    keep_out.take(json.dumps(told))
    assert [zone.name for zone in keep_out.zones] == ['crater', 'cliff']
    keep_out.take('[]')
    assert [zone.name for zone in keep_out.zones] == ['crater']


@pytest.mark.parametrize('text', ['no JSON', '[{"name": "line", "polygon": [[0, 0], [1, 1]]}]'])
def test_what_is_not_a_list_of_zones_is_refused_and_the_last_ones_hold(
    keep_out: KeepOut, text: str
) -> None:
    with pytest.raises(ValueError, match='not taken'):
        keep_out.take(text)
    assert [zone.name for zone in keep_out.zones] == ['crater']
