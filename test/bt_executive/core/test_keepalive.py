"""Goals that are kept alive: known by their UUID, given up when nobody speaks for them."""

from __future__ import annotations

from dataclasses import replace
import uuid

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.keepalive import (
    FOUND_WITHIN_S,
    LONGEST_S,
    KeepaliveWatch,
    is_kept_alive,
    new_kept_alive_id,
)
from rover_common.clocks import READING_S, Now, Standstill

GOAL, OTHER = new_kept_alive_id(), new_kept_alive_id()
ORDINARY = '3c9a075f-dc8a-4bf1-96cc-6ebbf6a9e8fe'
LATE = FOUND_WITHIN_S  # a time at which every sender has found the executive


def watch_with(*goals: str) -> KeepaliveWatch:
    """A watch that has seen these goals at `LATE`."""
    watch = KeepaliveWatch(Now.at(0.0))
    assert watch.silent(goals, Now.at(LATE)) == []
    return watch


def test_an_id_says_that_its_goal_is_kept_alive() -> None:
    assert is_kept_alive(GOAL)
    assert uuid.UUID(GOAL).variant == uuid.RFC_4122
    assert len({new_kept_alive_id() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    'other', [ORDINARY, str(uuid.uuid5(uuid.NAMESPACE_URL, 'x')), str(uuid.UUID(int=7)), 'x', '']
)
def test_every_other_goal_lives_on_its_own(other: str) -> None:
    assert not is_kept_alive(other)
    assert watch_with(other).silent([other], Now.at(LATE + 1000.0)) == []


def test_a_goal_whose_sender_is_silent_is_told() -> None:
    watch = watch_with(GOAL, OTHER)
    watch.heard(OTHER, Now.at(LATE + LONGEST_S))
    assert watch.silent([GOAL, OTHER], Now.at(LATE + LONGEST_S)) == []
    assert watch.silent([GOAL, OTHER], Now.at(LATE + LONGEST_S + 0.1)) == [GOAL]


def test_it_is_told_again_if_it_is_still_there_but_not_at_each_look() -> None:
    watch = watch_with(GOAL)
    told = [
        bool(watch.silent([GOAL], Now.at(LATE + 0.5 * step)))
        for step in range(1, int(4 * LONGEST_S))
    ]
    assert told.count(True) == 1


@given(gaps=st.lists(st.floats(0.0, LONGEST_S, exclude_max=True), max_size=30))
def test_a_sender_that_is_heard_often_enough_keeps_its_goal(gaps: list[float]) -> None:
    watch, now = watch_with(GOAL), LATE
    for gap in gaps:
        now += gap
        assert watch.silent([GOAL], Now.at(now)) == []
        watch.heard(GOAL, Now.at(now))
        watch.heard(GOAL, Now.at(now))  # twice is once


def test_signs_about_goals_that_are_not_open_keep_nothing() -> None:
    watch = KeepaliveWatch(Now.at(0.0))
    for each in range(1000):
        watch.heard(str(uuid.UUID(int=each)), Now.at(LATE))
    watch.heard(GOAL, Now.at(LATE))  # it has ended, or has not come yet
    assert watch.silent([GOAL], Now.at(LATE + 10.0)) == []  # counts from when it is seen
    assert watch.silent([GOAL], Now.at(LATE + 10.1 + LONGEST_S)) == [GOAL]


def test_time_in_which_the_executive_stood_still_does_not_count() -> None:
    watch = watch_with(GOAL)
    woke = Now.at(LATE + 60.0)
    asleep = (Standstill(woke.steady, 60.0),)
    assert watch.silent([GOAL], replace(woke, standstills=asleep)) == []
    later = Now.at(woke.steady + LONGEST_S + READING_S + 0.1)
    assert watch.silent([GOAL], replace(later, standstills=asleep)) == [GOAL]


def test_an_executive_that_was_restarted_waits_until_it_can_be_found() -> None:
    watch = KeepaliveWatch(Now.at(0.0))
    assert watch.silent([GOAL], Now.at(0.5)) == []
    assert watch.silent([GOAL], Now.at(FOUND_WITHIN_S - 0.1)) == []
    assert watch.silent([GOAL], Now.at(FOUND_WITHIN_S)) == [GOAL]
