"""The robot's time, whatever its clock does; and silence, whenever this process did not run."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.clocks import (
    FASTEST,
    MOST_STANDSTILLS,
    READING_S,
    STANDSTILL_S,
    Alarm,
    Clocks,
    Now,
    RobotTime,
    Standstill,
)

JUMPS = st.floats(-1e6, 1e6, allow_nan=False)
GAPS = st.floats(1e-6, 0.2)


@pytest.mark.parametrize('speed', [0.5, 1.0, 4.0, 20.0, FASTEST])
@pytest.mark.parametrize('gap', [0.001, 0.1, 0.5])
def test_it_passes_as_ros_time_does(speed: float, gap: float) -> None:
    time = RobotTime(1000.0, 50.0)
    for index in range(1, 101):
        passed = time.passed(1000.0 + speed * gap * index, 50.0 + gap * index)
    assert passed == pytest.approx(100 * speed * gap)


def test_a_clock_in_coarse_steps_is_followed() -> None:
    time = RobotTime(5.0, 0.0)
    assert time.passed(6.0, 0.05) == 1.0  # a message of /clock between two close readings
    assert time.passed(6.0, 0.06) == 1.0
    assert time.passed(7.0, 0.10) == 2.0


@pytest.mark.parametrize('first', [0.1, 1.0, 7.5, 1.7e9])
def test_the_time_that_a_simulation_shows_at_first_has_not_passed(first: float) -> None:
    time = RobotTime(0.0, 0.0)
    assert time.passed(0.0, 1.0) == 0.0
    assert time.passed(first, 1.2) == pytest.approx(0.2)
    assert time.passed(first + 0.5, 1.3) == pytest.approx(0.7)


@pytest.mark.parametrize('jump', [60.0, 1.7e9, -60.0, -0.2])
def test_a_clock_that_is_set_counts_as_the_steady_time_that_passed(jump: float) -> None:
    time = RobotTime(100.0, 0.0)
    assert time.passed(100.1, 0.1) == pytest.approx(0.1)
    assert time.passed(100.2 + jump, 0.2) == pytest.approx(0.2)
    assert time.passed(100.3 + jump, 0.3) == pytest.approx(0.3)


def test_steady_time_goes_on_for_a_clock_that_stands_still() -> None:
    time = RobotTime(5.0, 0.0)
    assert time.passed(5.0, STANDSTILL_S) == 0.0
    assert time.passed(5.0, STANDSTILL_S + 0.5) == 0.5
    assert time.passed(5.0, STANDSTILL_S + 3.0) == 3.0
    assert time.passed(5.1, STANDSTILL_S + 3.1) == pytest.approx(3.1)  # it lives again
    assert time.passed(5.1, STANDSTILL_S + 4.0) == pytest.approx(3.1)


@given(steps=st.lists(st.tuples(JUMPS, GAPS), max_size=30))
def test_whatever_the_clock_does_it_never_goes_back_and_never_leaps(
    steps: list[tuple[float, float]],
) -> None:
    time, steady, before = RobotTime(0.0, 0.0), 0.0, 0.0
    for ros, gap in steps:
        steady += gap
        passed = time.passed(ros, steady)
        assert 0.0 <= passed - before <= 2.0 + FASTEST * gap + 1e-9
        before = passed


def test_what_has_passed_on_both_clocks_is_the_smaller_time() -> None:
    fast = Now(ros=0.0, robot=20.0, steady=1.0)
    slow = Now(ros=0.0, robot=1.0, steady=2.0)
    assert fast.since(Now.at(0.0)) == slow.since(Now.at(0.0)) == 1.0


def test_the_earlier_alarm_counts_on_each_clock() -> None:
    alarm = Alarm().or_at(robot=5.0).or_at(steady=3.0).or_at(robot=4.0).or_at(steady=9.0)
    assert alarm == Alarm(robot=4.0, steady=3.0)
    assert Alarm() == Alarm(math.inf, math.inf)


def test_one_moment_is_read_from_both_clocks() -> None:
    ros, steady = itertools.count(100), itertools.count(7)
    clocks = Clocks(lambda: float(next(ros)), lambda: float(next(steady)))
    assert clocks() == Now(ros=101.0, robot=1.0, steady=8.0)


def test_time_asleep_is_no_silence_nor_is_the_time_to_read_what_came() -> None:
    woke = Now(0.0, 0.0, 60.0, (Standstill(60.0, 50.0),))
    assert woke.silent_for(9.0) == pytest.approx(1.0)
    assert woke.later(0.0, READING_S).silent_for(9.0) == pytest.approx(1.0)
    assert woke.later(0.0, READING_S + 2.0).silent_for(9.0) == pytest.approx(3.0)
    assert woke.silent_for(60.0) == 0.0
    assert woke.later(0.0, 3.0).silent_for(61.0) == pytest.approx(2.0)
    assert (woke.awake_for, Now.at(5.0).awake_for) == (0.0, math.inf)


@given(
    gaps=st.lists(st.floats(0.01, 2.0), min_size=1, max_size=3 * MOST_STANDSTILLS),
    seen=st.integers(0, 3 * MOST_STANDSTILLS),
)
def test_however_often_it_stands_still_time_awake_is_silence(gaps: list[float], seen: int) -> None:
    steady, usual_gap_s, awake_s, seen_at = 100.0, 0.1, 0.0, 100.0
    clocks = Clocks(lambda: steady, lambda: steady, 0.35, usual_gap_s)
    for index, gap in enumerate(gaps):
        steady += gap
        now = clocks()
        if index < seen:
            seen_at = steady
        else:
            awake_s += usual_gap_s if gap > 0.35 else gap
    silent_s = now.silent_for(seen_at)
    assert awake_s - READING_S - 1e-6 <= silent_s <= steady - seen_at
    if len(gaps) - seen <= MOST_STANDSTILLS:
        assert silent_s <= max(awake_s, 0.0) + 1e-6
