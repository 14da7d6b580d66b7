"""Silence counts only where somebody listened."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.client.hearing import ASLEEP_S, LOST_S, QUIET_S, Hearing

LOOK_S = 0.1


def silence_after(hearing: Hearing, began: float, seconds: float) -> float:
    """Looks often for so long; the silence at the end."""
    silence = hearing.silence(began)
    for number in range(1, round(seconds / LOOK_S) + 1):
        silence = hearing.silence(began + number * LOOK_S)
    return silence


def test_an_executive_that_is_silent_is_quiet_and_then_lost() -> None:
    hearing = Hearing()
    hearing.silence(100.0)
    hearing.heard(100.0)
    assert silence_after(hearing, 100.0, 1.0) < QUIET_S
    assert QUIET_S < silence_after(hearing, 101.0, 2.0) < LOST_S
    assert silence_after(hearing, 103.0, 3.0) > LOST_S


def test_who_was_suspended_hears_before_it_judges() -> None:
    hearing = Hearing()
    hearing.silence(100.0)
    hearing.heard(100.0)
    assert hearing.silence(160.0) == 0.0  # woken after a minute
    hearing.heard(160.05)  # what has waited in the middleware
    assert silence_after(hearing, 160.1, 1.0) < QUIET_S


def test_who_was_suspended_and_still_hears_nothing_says_so_in_its_time() -> None:
    hearing = Hearing()
    hearing.silence(100.0)
    hearing.heard(100.0)
    assert silence_after(hearing, 160.0, 2.0) == pytest.approx(2.0)


@given(st.lists(st.floats(0.01, 10.0), min_size=1, max_size=50))
def test_silence_is_never_longer_than_the_looks_without_a_pause(gaps: list[float]) -> None:
    hearing, now, awake_s = Hearing(), 100.0, 0.0
    hearing.silence(now)
    for gap in gaps:
        now += gap
        awake_s = 0.0 if gap > ASLEEP_S else awake_s + gap
        assert hearing.silence(now) <= awake_s + 1e-6
