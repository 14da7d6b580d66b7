"""What a robot has driven and used, however its readings tremble."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.gauges import TREMBLE_M, TREMBLE_PCT, ChargeGauge, Odometer

WANDERS = st.floats(-0.4 * TREMBLE_M, 0.4 * TREMBLE_M)


@given(wanders=st.lists(st.tuples(WANDERS, WANDERS), min_size=1, max_size=200))
def test_a_robot_that_stands_drives_nothing_however_long_its_localiser_trembles(
    wanders: list[tuple[float, float]],
) -> None:
    odometer, half = Odometer(), math.sqrt(0.5)
    told = [odometer.driven(2.0 + half * x, -1.0 + half * y, 0.1) for x, y in wanders]
    assert sum(told) == 0.0


@given(steps=st.lists(st.floats(0.0, 0.9), min_size=1, max_size=60))
def test_a_straight_drive_is_counted_whole_but_for_its_last_centimetres(
    steps: list[float],
) -> None:
    odometer, x = Odometer(), 0.0
    driven = odometer.driven(x, 0.0, 0.0)
    for step in steps:
        x += step
        driven += odometer.driven(x, 0.0, 0.0)
    assert x - TREMBLE_M <= driven + 1e-9 <= x + 2e-9


@pytest.mark.parametrize('there', [(50.0, 0.0), (0.0, -1.0), (1e6, 1e6)])
def test_a_jump_of_the_frame_is_no_drive_and_what_follows_counts_from_there(
    there: tuple[float, float],
) -> None:
    odometer = Odometer()
    odometer.driven(0.0, 0.0, 10.0)
    assert odometer.driven(*there, 10.1) == 0.0
    x, y = there
    assert odometer.driven(x + 0.5, y, 10.2) == pytest.approx(0.5)


def test_a_slow_jump_is_a_drive_when_there_was_time_for_it() -> None:
    odometer = Odometer()
    odometer.driven(0.0, 0.0, 10.0)
    assert odometer.driven(3.0, 0.0, 12.0) == pytest.approx(3.0)


@given(trembles=st.lists(st.floats(0.0, 0.9 * TREMBLE_PCT), max_size=100))
def test_a_gauge_that_trembles_uses_nothing(trembles: list[float]) -> None:
    gauge = ChargeGauge()
    assert gauge.used(50.0) == 0.0
    assert sum(gauge.used(50.0 + tremble) for tremble in trembles) == 0.0
    assert gauge.used(49.0) == pytest.approx(1.0)


def test_what_was_charged_is_not_subtracted() -> None:
    gauge = ChargeGauge()
    assert [gauge.used(percent) for percent in (50.0, 40.0, 90.0, 85.0)] == [0.0, 10.0, 0.0, 5.0]
