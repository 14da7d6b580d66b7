"""Simulated time: as fast as wanted where the machine can; it waits for the slowest follower."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_sim.rover.real_time_factor import CATCH_UP_S, STEP_S, RealTimeFactor


def run(pace: RealTimeFactor, gaps: Iterable[float]) -> tuple[float, float]:
    """Steady and simulated time after asking again and again."""
    steady, steps = 0.0, 0
    for gap in gaps:
        steady += gap
        steps += pace.steps_due(steady)
    return steady, steps * STEP_S


@pytest.mark.parametrize(
    ('wanted', 'gap'), [(0.5, 0.01), (1.0, 0.01), (4.0, 0.0025), (20.0, 0.002), (20.0, 0.009)]
)
def test_time_passes_as_fast_as_wanted(wanted: float, gap: float) -> None:
    pace = RealTimeFactor(wanted, 0.0)
    steady, simulated = run(pace, [gap] * round(3.0 / gap))
    assert simulated == pytest.approx(wanted * steady, abs=2 * STEP_S)
    assert pace.reached == pytest.approx(wanted, rel=0.02)
    assert pace.too_slow is None


def test_on_a_busy_machine_it_slows_down_and_says_how_much() -> None:
    pace = RealTimeFactor(20.0, 0.0)
    run(pace, [0.025] * 100)  # in 25 ms half a second was due
    assert pace.reached == pytest.approx(CATCH_UP_S / 0.025, rel=0.01)
    assert pace.too_slow is not None
    assert pace.too_slow.startswith('simulated time passes 8.0 times as fast as real time instead')


def test_it_is_as_fast_as_wanted_again_once_the_machine_is_free() -> None:
    pace = RealTimeFactor(20.0, 0.0)
    steady = 0.0
    for gap in [0.5] * 4 + [0.002] * 1200:
        steady += gap
        pace.steps_due(steady)
    assert pace.too_slow is None


@given(wanted=st.floats(0.1, 100.0), gaps=st.lists(st.floats(0.0, 3.0), max_size=50))
def test_it_is_never_faster_and_nothing_piles_up(wanted: float, gaps: list[float]) -> None:
    pace, steady, steps = RealTimeFactor(wanted, 0.0), 0.0, 0
    for gap in gaps:
        steady += gap
        due = pace.steps_due(steady)
        assert 0 <= due <= round(CATCH_UP_S / STEP_S)
        steps += due
    assert steps * STEP_S <= wanted * steady + 1e-6
    assert pace.steps_due(steady) <= 1
