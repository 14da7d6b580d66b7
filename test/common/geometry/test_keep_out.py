"""Zones from the configuration and from a topic, and paths that come too near."""

from __future__ import annotations

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
