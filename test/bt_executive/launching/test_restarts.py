from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bt_executive.launching.restarts import FIRST_DELAY_S, MOST_DEATHS, WINDOW_S, Restarts
from rover_common.errors import UNUSABLE


def test_the_delay_doubles_and_then_the_process_is_left_alone() -> None:
    restarts = Restarts()
    delays = [restarts.delay_after_death(1, float(second)) for second in range(MOST_DEATHS + 1)]
    assert delays == [FIRST_DELAY_S * 2**n for n in range(MOST_DEATHS)] + [None]


def test_a_process_that_cannot_use_its_options_is_not_started_again() -> None:
    restarts = Restarts()
    assert restarts.delay_after_death(UNUSABLE, 0.0) is None
    assert restarts.delay_after_death(1, 0.0) == FIRST_DELAY_S


def test_old_deaths_are_forgiven() -> None:
    restarts = Restarts()
    for second in range(MOST_DEATHS):
        restarts.delay_after_death(1, float(second))
    assert restarts.delay_after_death(None, WINDOW_S * 3) == FIRST_DELAY_S


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=60))
def test_never_more_starts_in_a_window_than_allowed(gaps: list[float]) -> None:
    restarts, now, starts = Restarts(), 0.0, []
    for gap in gaps:
        now += gap
        if restarts.delay_after_death(-9, now) is not None:
            starts.append(now)
    for start in starts:
        assert sum(start - WINDOW_S <= other <= start for other in starts) <= MOST_DEATHS
