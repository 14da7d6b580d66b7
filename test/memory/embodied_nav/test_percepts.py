"""What a detector reports becomes an observation in the map's frame, or nothing."""

from __future__ import annotations

import math
import sys

import pytest

from embodied_nav.filter_of_repeated_detections import PERIOD_S, RepeatFilter
from embodied_nav.percepts import Detections, Percept, observation_of
from rover_common.geometry.transforms import Transform


@pytest.mark.parametrize(
    ('class_id', 'label', 'name', 'caption'),
    [
        ('rock/Bishop: layered: pale', 'rock', 'Bishop', 'layered: pale'),
        ('rock', 'rock', 'rock', ''),
        ('rock: grey', 'rock', 'rock', 'grey'),
        ('/Bishop', '', 'Bishop', ''),
        ('rock/Ｂ 岩\t\u200b3', 'rock', 'B 岩 3', ''),
        ('rock /\u200b', 'rock', 'rock', ''),
    ],
)
def test_the_parts_of_a_class_id(class_id: str, label: str, name: str, caption: str) -> None:
    percept = Percept(class_id, (0.0, 0.0, 0.0))
    assert (percept.label, percept.name, percept.caption) == (label, name, caption)
    assert percept.is_usable


@pytest.mark.parametrize(
    'percept',
    [
        Percept(' : x', (0, 0, 0)),
        Percept('\u200b/\u200b: x', (0, 0, 0)),
        Percept('rock', (0.0, math.nan, 0.0)),
        Percept('rock', (sys.float_info.max, 0.0, 0.0)),
        Percept('rock', (0.0, 0.0, -1.1e7)),
    ],
)
def test_what_has_no_name_or_no_place_is_not_usable(percept: Percept) -> None:
    assert not percept.is_usable


def test_an_observation_is_in_the_map_frame_with_its_covariance_and_origin() -> None:
    at = Transform.planar(10.0, 2.0, math.pi / 2)
    percept = Percept('rock/Bishop: layered', (4.0, 0.0, 0.5), variance_m2=0.04, radius_m=1.2)
    seen = observation_of(percept, Detections('look-1', 7.0, at, at, (percept,)), 0, 'odom', 5)
    assert seen.position == pytest.approx((10.0, 6.0, 0.5))
    assert seen.covariance is not None
    assert seen.covariance[::4] == pytest.approx((0.04, 0.04, 0.04))
    assert (seen.frame_id, seen.map_epoch, seen.stamp) == ('odom', 5, 7.0)
    assert (seen.writer, seen.observation_id, seen.radius_m) == ('percept', 'look-1/0', 1.2)


def test_a_thing_that_stays_is_entered_seldom_and_one_that_moved_at_once() -> None:
    repeats = RepeatFilter()
    assert repeats.passes('Bishop', (1.0, 1.0, 0.0), 0.0)
    assert not any(repeats.passes('Bishop', (1.0, 1.0, 0.0), at) for at in (0.5, PERIOD_S - 0.1))
    assert repeats.passes('Bishop', (3.0, 1.0, 0.0), 1.0)
    assert repeats.passes('Bishop', (3.0, 1.0, 0.0), 1.0 + PERIOD_S)
    repeats.clear()
    assert repeats.passes('Bishop', (3.0, 1.0, 0.0), 1.1 + PERIOD_S)


def test_two_things_of_one_name_do_not_keep_each_other_out() -> None:
    repeats = RepeatFilter()
    places = [(1.0, 1.0, 0.0), (6.0, 1.0, 0.0)]
    assert [repeats.passes('rock', place, 0.0) for place in places * 2] == [
        True,
        True,
        False,
        False,
    ]


def test_one_thing_is_entered_again_after_a_look_that_had_it_elsewhere() -> None:
    repeats, here, wrong = RepeatFilter(), (1.0, 1.0, 0.0), (4.0, 1.0, 0.0)
    assert repeats.passes('Bishop', here, 0.0, is_one=True)
    assert not repeats.passes('Bishop', here, 4.9, is_one=True)
    assert repeats.passes('Bishop', wrong, 5.0, is_one=True)
    assert repeats.passes('Bishop', here, 5.1, is_one=True)
    assert not repeats.passes('Bishop', here, 5.2, is_one=True)


def test_one_name_at_two_places_is_not_entered_with_each_look() -> None:
    repeats, places = RepeatFilter(), [(1.0, 1.0, 0.0), (4.0, 1.0, 0.0)]
    looks = [repeats.passes('Bishop', place, 0.1 * at, is_one=True)
             for at in range(30) for place in places]  # fmt: skip
    assert 2 < sum(looks) <= 2 * 3
