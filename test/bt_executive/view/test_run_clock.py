from __future__ import annotations

from dataclasses import replace

import pytest

from bt_executive.client.front_end_events import RunStarted, StateReceived
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from bt_executive.view.run_clock import CLOCK_BACK_S, RunClock, time_of_day
from rover_common.trace_event import TraceEvent

EVENT = TraceEvent('1', 130.0, 'OBSERVE', 'bright')


def test_an_event_has_its_own_second_and_not_that_of_its_arrival() -> None:
    clock = RunClock(lambda: 130.8, 100.0)
    assert clock.seconds(EVENT.ts) == 30.0
    assert clock.seconds() == pytest.approx(30.8)


def test_the_executive_knows_an_earlier_begin_and_none_that_is_later() -> None:
    clock = RunClock(lambda: 130.0, 100.0)
    assert clock.apply(RunStarted(90.0))
    assert not clock.apply(RunStarted(120.0))  # of an executive that was started again
    assert (clock.began(), clock.began(first=80.0)) == (90.0, 80.0)


def test_an_unknown_begin_is_not_replaced() -> None:
    clock = RunClock(lambda: 130.0)
    assert not clock.is_known
    assert (clock.seconds(), clock.began(first=120.0)) == (0.0, 120.0)
    assert not clock.apply(EVENT)
    assert not clock.is_known


def test_a_simulated_time_is_the_newest_that_was_reported() -> None:
    clock = RunClock(lambda: 1e9, 1e9, simulated=True)
    assert (clock.now, clock.seconds(), clock.is_known) == (0.0, 0.0, False)
    assert clock.apply(replace(EVENT, ts=4.0))
    clock.apply(StateReceived(BrainState(robot=RobotState(pose_stamp=9.0)), 1e9))
    clock.apply(replace(EVENT, ts=8.0))
    assert (clock.now, clock.seconds(), clock.seconds(6.0)) == (9.0, 5.0, 2.0)


def test_on_simulated_time_who_comes_late_counts_from_the_same_begin() -> None:
    first, late = (RunClock(lambda: 1e9, simulated=True) for _ in range(2))
    first.apply(replace(EVENT, ts=24.0))
    for clock in (first, late):
        clock.apply(StateReceived(BrainState(robot=RobotState(pose_stamp=32.0)), 1e9))
    assert first.seconds(40.0) != late.seconds(40.0)
    assert [clock.apply(RunStarted(24.5)) for clock in (first, late)] == [True, True]
    for clock in (first, late):
        clock.apply(StateReceived(BrainState(robot=RobotState(pose_stamp=24.1)), 1e9))
        assert not clock.apply(RunStarted(60.0))  # of an executive that was started again
    assert first.seconds(40.0) == late.seconds(40.0) == 15.5


def posed(stamp: float) -> StateReceived:
    return StateReceived(BrainState(robot=RobotState(pose_stamp=stamp)), 1e9)


@pytest.mark.parametrize(
    ('reported', 'began'), [(3.0, 3.0), (24.0, 4.0), (None, 4.0)]
)  # by the executive of the new simulation, by that of the former one, not yet
def test_a_simulation_that_begins_anew_begins_the_run_anew(
    reported: float | None, began: float
) -> None:
    clock = RunClock(lambda: 1e9, simulated=True)
    clock.apply(RunStarted(2.5))
    for stamp in (300.0, 0.0, 299.5, 0.0):  # late by half a second, and not known
        clock.apply(posed(stamp))
    assert (clock.now, clock.resets) == (300.0, 0)
    clock.apply(RunStarted(24.0))
    if reported is not None:
        clock.apply(RunStarted(reported))
    clock.apply(posed(4.0))
    assert (clock.now, clock.resets, clock.began()) == (4.0, 1, began)
    clock.apply(replace(EVENT, ts=6.0))
    assert clock.seconds() == 6.0 - began


def test_a_run_lasts_on_while_the_clock_is_set_back() -> None:
    now = 1000.0
    clock = RunClock(lambda: now, 400.0)
    clock.apply(EVENT)
    now += 3.0 - CLOCK_BACK_S  # it is in order again within a minute
    clock.apply(EVENT)
    assert (clock.resets, clock.seconds(400.0)) == (0, 0.0)
    now = 100.0
    lasted_s = 603.0 - CLOCK_BACK_S
    assert clock.apply(EVENT)
    assert (clock.resets, clock.seconds(), clock.began()) == (1, lasted_s, 100.0 - lasted_s)
    assert not clock.apply(RunStarted(400.0))  # as the executive has known it


@pytest.mark.parametrize('ts', [0.0, 7.0, 1e18])
def test_what_is_no_date_has_no_time_of_day(ts: float) -> None:
    assert time_of_day(ts) == ''
