"""The lease of a goal: cancelled when no keepalive of its sender arrives."""

from __future__ import annotations

from dataclasses import replace
import math
import uuid

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.keepalive_leases import DISCOVERY_S, LEASE_S, KeepaliveWatch, lease_fault
from rover_common.clocks import READING_S, Now, Standstill

GOAL, OTHER = str(uuid.uuid4()), str(uuid.uuid4())
LATE = DISCOVERY_S  # a time at which every sender has found the executive


def watch_with(*goals: str) -> KeepaliveWatch:
    """A watch that has seen these goals at `LATE`."""
    watch = KeepaliveWatch(Now.at(0.0))
    assert watch.expired(dict.fromkeys(goals, LEASE_S), Now.at(LATE)) == []
    return watch


@pytest.mark.parametrize('lease_s', [0.0, 1.0, 3.0, 3600.0])
def test_these_leases_can_be_had(lease_s: float) -> None:
    assert lease_fault(lease_s) is None


@pytest.mark.parametrize('lease_s', [-1.0, 1e-9, 0.99, 3600.1, math.inf, -math.inf, math.nan])
def test_these_leases_are_refused_with_the_value(lease_s: float) -> None:
    assert f'lease_s is {lease_s:g}: give 1 to 3600 seconds, or 0' in (lease_fault(lease_s) or '')


def test_a_goal_without_a_lease_needs_no_keepalives() -> None:
    watch = watch_with(GOAL)
    assert watch.expired({GOAL: 0.0}, Now.at(LATE + 1000.0)) == []


@given(lease_s=st.floats(1.0, 3600.0))
def test_a_goal_is_given_up_when_its_own_lease_is_over(lease_s: float) -> None:
    watch = KeepaliveWatch(Now.at(0.0))
    leases = {GOAL: lease_s, OTHER: 3600.0}
    assert watch.expired(leases, Now.at(LATE)) == []
    assert watch.expired(leases, Now.at(LATE + lease_s - 0.1)) == []
    assert watch.expired(leases, Now.at(LATE + lease_s + 0.1))[:1] == [GOAL]


def test_a_goal_whose_sender_is_silent_is_told() -> None:
    watch = watch_with(GOAL, OTHER)
    watch.received(OTHER, Now.at(LATE + LEASE_S))
    assert watch.expired({GOAL: LEASE_S, OTHER: LEASE_S}, Now.at(LATE + LEASE_S)) == []
    assert watch.expired({GOAL: LEASE_S, OTHER: LEASE_S}, Now.at(LATE + LEASE_S + 0.1)) == [GOAL]


def test_it_is_told_again_if_it_is_still_there_but_not_at_each_look() -> None:
    watch = watch_with(GOAL)
    told = [
        bool(watch.expired({GOAL: LEASE_S}, Now.at(LATE + 0.5 * step)))
        for step in range(1, int(4 * LEASE_S))
    ]
    assert told.count(True) == 1


@given(gaps=st.lists(st.floats(0.0, LEASE_S, exclude_max=True), max_size=30))
def test_a_sender_that_is_heard_often_enough_keeps_its_goal(gaps: list[float]) -> None:
    watch, now = watch_with(GOAL), LATE
    for gap in gaps:
        now += gap
        assert watch.expired({GOAL: LEASE_S}, Now.at(now)) == []
        watch.received(GOAL, Now.at(now))
        watch.received(GOAL, Now.at(now))  # twice is once


def test_signs_about_goals_that_are_not_open_keep_nothing() -> None:
    watch = KeepaliveWatch(Now.at(0.0))
    for each in range(1000):
        watch.received(str(uuid.UUID(int=each)), Now.at(LATE))
    watch.received(GOAL, Now.at(LATE))  # it has ended, or has not come yet
    assert watch.expired({GOAL: LEASE_S}, Now.at(LATE + 10.0)) == []  # counts from when it is seen
    assert watch.expired({GOAL: LEASE_S}, Now.at(LATE + 10.1 + LEASE_S)) == [GOAL]


def test_time_in_which_the_executive_stood_still_does_not_count() -> None:
    watch = watch_with(GOAL)
    woke = Now.at(LATE + 60.0)
    asleep = (Standstill(woke.steady, 60.0),)
    assert watch.expired({GOAL: LEASE_S}, replace(woke, standstills=asleep)) == []
    later = Now.at(woke.steady + LEASE_S + READING_S + 0.1)
    assert watch.expired({GOAL: LEASE_S}, replace(later, standstills=asleep)) == [GOAL]


def test_an_executive_that_was_restarted_waits_until_it_can_be_found() -> None:
    watch = KeepaliveWatch(Now.at(0.0))
    assert watch.expired({GOAL: LEASE_S}, Now.at(0.5)) == []
    assert watch.expired({GOAL: LEASE_S}, Now.at(DISCOVERY_S - 0.1)) == []
    assert watch.expired({GOAL: LEASE_S}, Now.at(DISCOVERY_S)) == [GOAL]
