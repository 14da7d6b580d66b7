"""What a robot has driven and used, however its readings tremble."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.battery_readings import NOISE_PCT, charge_used
from bt_executive.core.motion_shown_by_poses import NOISE_M, Driven, Odometer

WANDERS = st.floats(-0.4 * NOISE_M, 0.4 * NOISE_M)


@given(wanders=st.lists(st.tuples(WANDERS, WANDERS), min_size=1, max_size=200))
def test_a_robot_that_stands_drives_nothing_however_long_its_localiser_trembles(
    wanders: list[tuple[float, float]],
) -> None:
    odometer, half = Odometer(), math.sqrt(0.5)
    told = [odometer.add_pose(2.0 + half * x, -1.0 + half * y, 0.1) for x, y in wanders]
    assert {each.measured_m for each in told} == {0.0}
    assert odometer.pending_m == 0.0


@pytest.mark.slow
@given(steps=st.lists(st.floats(0.0, 0.9), min_size=1, max_size=60))
def test_a_straight_drive_is_counted_whole_but_for_its_last_centimetres(
    steps: list[float],
) -> None:
    odometer, x = Odometer(), 0.0
    driven = odometer.add_pose(x, 0.0, 0.0).measured_m
    for step in steps:
        x += step
        driven += odometer.add_pose(x, 0.0, 0.0).measured_m
    assert x - NOISE_M <= driven + 1e-9 <= x + 2e-9


@pytest.mark.parametrize('there', [(50.0, 0.0), (0.0, -1.0), (1e6, 1e6), (math.inf, 0.0)])
@pytest.mark.parametrize('away_s', [0.1, 5.0, 600.0])
def test_a_pose_that_begins_anew_is_no_drive_and_what_follows_counts_from_there(
    there: tuple[float, float], away_s: float
) -> None:
    """However long the robot was away: nobody drove it meanwhile."""
    odometer = Odometer()
    odometer.add_pose(0.0, 0.0, 10.0)
    told = odometer.add_pose(*there, 10.0 + away_s)
    assert told.measured_m == told.assumed_m == 0.0
    assert told.jumped_m == math.hypot(*there)
    if math.isfinite(there[0]):
        x, y = there
        assert odometer.add_pose(x + 0.5, y, 10.2 + away_s).measured_m == pytest.approx(0.5)


def test_a_long_way_between_two_poses_is_a_drive_if_one_was_commanded() -> None:
    odometer = Odometer()
    odometer.add_pose(0.0, 0.0, 10.0)
    odometer.assume(0.5, 6.0)
    driven = odometer.add_pose(3.0, 0.0, 16.0)
    assert driven.measured_m == pytest.approx(3.0)
    assert (driven.assumed_m, driven.jumped_m) == (0.0, 0.0)
    odometer.assume(0.5, 2.0)
    driven = odometer.add_pose(-0.5, 0.0, 18.0)
    assert driven == Driven(0.0, 1.0, 3.5), 'more than it can have driven'


@pytest.mark.parametrize('paused_s', [3.0, 30.0])
def test_a_drive_on_while_its_clock_stood_is_measured(paused_s: float) -> None:
    """The robot's time did not pass for 2 s of the pause."""
    odometer = Odometer()
    odometer.add_pose(0.0, 0.0, 10.0)
    odometer.assume(0.5, paused_s - 2.0, longest_s=paused_s)
    driven = odometer.add_pose(0.5 * paused_s, 0.0, 10.0 + paused_s)
    assert driven == Driven(measured_m=0.5 * paused_s)


SPEED_M_S, TICK_S = 0.5, 0.1
# What a pose stream does in a tick: tells the truth, falls silent, lies, or jumps.
STREAMS = st.sampled_from(['true', 'silent', 'constant', 'jumping'])


@pytest.mark.slow
@given(
    streams=st.lists(STREAMS, min_size=1, max_size=200),
    turns=st.booleans(),
    drives=st.lists(st.booleans(), min_size=200, max_size=200),
)
def test_what_is_counted_is_never_less_than_what_was_driven_whatever_the_poses_do(
    streams: list[str], turns: bool, drives: list[bool]
) -> None:
    odometer, counted, way = Odometer(), 0.0, 0.0
    odometer.add_pose(0.0, 0.0, 0.0)
    told = 0.0, 0.0
    for number, stream in enumerate(streams, 1):
        if drives[number // 20]:
            way += SPEED_M_S * TICK_S
            odometer.assume(SPEED_M_S, TICK_S)
        radius = 7.5
        true = (
            (radius * math.sin(way / radius), radius * (1.0 - math.cos(way / radius)))
            if turns
            else (way, 0.0)
        )
        told = {'true': true, 'constant': told, 'jumping': (20.0 * (number % 2), 3.0)}.get(
            stream, told
        )
        if stream != 'silent':
            driven = odometer.add_pose(*told, number * TICK_S)
            counted += driven.measured_m + driven.assumed_m
        assert counted + odometer.pending_m >= way - NOISE_M - 0.01 * way


@given(trembles=st.lists(st.floats(0.0, 0.9 * NOISE_PCT), max_size=100))
def test_a_gauge_that_trembles_uses_nothing(trembles: list[float]) -> None:
    charge, used = charge_used(None, 50.0)
    assert used == 0.0
    for tremble in trembles:
        charge, used = charge_used(charge, 50.0 + tremble)
        assert used == 0.0
    assert charge_used(charge, 49.0)[1] == pytest.approx(1.0)


def test_what_was_charged_is_not_subtracted() -> None:
    charge, all_used = None, []
    for percent in (50.0, 40.0, 90.0, 85.0):
        charge, used = charge_used(charge, percent)
        all_used.append(used)
    assert all_used == [0.0, 10.0, 0.0, 5.0]
