"""What the memory reports of itself may be anything: it comes from outside."""

from __future__ import annotations

import math

from bt_executive_interfaces.msg import MemoryDigest, NearbyPlace
import pytest

from bt_executive.ros.memory_digest import MOST_PLACES, memory_from_ros

BISHOP = NearbyPlace(id='n1', name='Bishop', kind='rock', x=4.0, y=1.0, radius_m=0.8)


def test_places_are_taken_with_their_texts_made_printable() -> None:
    long = NearbyPlace(id='n1', name='x' * 999, x=4.0)
    seen = memory_from_ros(MemoryDigest(summary='a\x1b[31m b', places=[long, BISHOP]))
    assert '\x1b' not in seen.summary
    place, bishop = seen.places
    assert (len(place['name']), place['x'], place['state']) == (120, 4.0, '')
    assert bishop == {
        **{'id': 'n1', 'name': 'Bishop', 'kind': 'rock', 'state': ''},
        **{'x': 4.0, 'y': 1.0, 'radius_m': 0.8},
    }


@pytest.mark.parametrize('number', [math.nan, math.inf, -math.inf])
def test_a_place_whose_numbers_are_none_is_left_out(number: float) -> None:
    odd = NearbyPlace(id='n2', name='odd', x=number)
    assert [each['id'] for each in memory_from_ros(MemoryDigest(places=[odd, BISHOP])).places] == [
        'n1'
    ]


def test_places_are_bounded() -> None:
    assert len(memory_from_ros(MemoryDigest(places=[BISHOP] * 999)).places) == MOST_PLACES
