"""One moment on every clock; and silence, whenever this process did not run."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.clocks import (
    MOST_STANDSTILLS,
    READING_S,
    Alarm,
    Clocks,
    Now,
    Standstill,
)


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
