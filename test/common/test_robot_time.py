"""The robot's time, whatever its clock does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.robot_time import FASTEST, STANDSTILL_S, RobotTime

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
