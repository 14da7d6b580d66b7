"""A plain whole number says how often, and no measure, coordinate or name does."""

from __future__ import annotations

import pytest

from bt_executive.planner.offline.amounts import MASK, extract_amounts
from bt_executive.planner.offline.repetitions_and_counts import (
    item_count_in,
    times_in,
    without_times,
)


@pytest.mark.parametrize(
    ('text', 'times'),
    [
        ('drive forward 3 times', 3),
        ('turn left twice', 2),
        ('zweimal nach links drehen', 2),
        ('拍两张照片', 2),
        ('写真を3枚撮って', 3),
        ('drive forward 1 times', 1),
        ('drive forward 50 times', 1),
        ('drive forward 2.5 times', 1),
        ('drive forward 3 s', 1),
        ('第3张', 1),
    ],
)
def test_how_often_is_a_whole_number_from_2_to_49_without_a_unit(text: str, times: int) -> None:
    assert times_in(*extract_amounts(text, frozenset('xy'), MASK)) == times


@pytest.mark.parametrize(
    ('text', 'count'),
    [('take 3 pictures', 3), ('take me two pictures', 2), ('go around the 3 rocks', 1)],
)
def test_of_how_many_things_is_said_at_the_begin(text: str, count: int) -> None:
    assert item_count_in(*extract_amounts(text, frozenset('xy'), MASK)) == count


def test_the_words_for_it_can_be_left_out() -> None:
    assert without_times('turn left twice , 2 seconds each') == 'turn left , 2 seconds'
