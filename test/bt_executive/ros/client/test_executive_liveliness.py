"""Silence counts only where somebody listened."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.ros.client.executive_presence import ASLEEP_S, LOST_S, QUIET_S, Liveliness
from rover_common.clocks import READING_S

LOOK_S = 0.1


class Front:
    """A front end whose clock is the test's."""

    def __init__(self) -> None:
        self.now = 100.0
        self.liveliness = Liveliness(lambda: self.now)

    def look_at(self, now: float) -> float:
        self.now = now
        return self.liveliness.silence()

    def hear_at(self, now: float) -> None:
        self.now = now
        self.liveliness.assert_now()

    def silence_after(self, began: float, seconds: float) -> float:
        """Looks often for so long; the silence at the end."""
        silence = self.look_at(began)
        for number in range(1, round(seconds / LOOK_S) + 1):
            silence = self.look_at(began + number * LOOK_S)
        return silence


def test_an_executive_that_is_silent_is_quiet_and_then_lost() -> None:
    front = Front()
    front.look_at(100.0)
    front.hear_at(100.0)
    assert front.silence_after(100.0, 0.8) < QUIET_S
    assert QUIET_S < front.silence_after(100.8, 2.0) < LOST_S
    assert front.silence_after(102.8, 3.0) > LOST_S


def test_who_was_suspended_hears_before_it_judges() -> None:
    front = Front()
    front.look_at(100.0)
    front.hear_at(100.0)
    assert front.look_at(160.0) == 0.0  # woken after a minute
    assert front.liveliness.age() > QUIET_S  # what it shows is old all the same
    front.hear_at(160.05)  # what has waited in the middleware
    assert front.silence_after(160.1, 0.8) < QUIET_S
    assert front.liveliness.age() < QUIET_S


def test_who_was_suspended_and_still_hears_nothing_says_so_in_its_time() -> None:
    front = Front()
    front.look_at(100.0)
    front.hear_at(100.0)
    assert front.silence_after(160.0, 2.0) == pytest.approx(2.0 - READING_S)


@given(st.lists(st.floats(0.01, 10.0), min_size=1, max_size=50))
def test_silence_is_never_longer_than_the_time_awake(gaps: list[float]) -> None:
    front, now, awake_s = Front(), 100.0, 0.0
    front.look_at(now)
    for gap in gaps:
        now += gap
        awake_s += 0.0 if gap > ASLEEP_S else gap
        assert front.look_at(now) <= awake_s + 1e-6
