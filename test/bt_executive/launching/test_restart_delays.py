from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bt_executive.launching.restart_delays import (
    FIRST_DELAY_S,
    MOST_DEATHS,
    WINDOW_S,
    RestartPolicy,
)
from rover_common.process.process_end import UNUSABLE


def delay_after(restarts: RestartPolicy, now: float) -> float:
    delay = restarts.restart_delay(-9, now)
    assert delay is not None
    return delay


def test_the_delay_doubles_and_then_there_is_one_start_a_minute() -> None:
    restarts, now, delays = RestartPolicy(), 0.0, []
    for _ in range(MOST_DEATHS + 3):
        delays.append(delay_after(restarts, now))
        now += delays[-1] + 0.5  # it dies as soon as it has started
    assert delays == [FIRST_DELAY_S * 2**n for n in range(MOST_DEATHS)] + [WINDOW_S] * 3
    assert delay_after(restarts, now + 2 * WINDOW_S) == FIRST_DELAY_S, 'it had lived long enough'


def test_a_process_that_cannot_use_its_options_is_not_started_again() -> None:
    restarts = RestartPolicy()
    assert restarts.restart_delay(UNUSABLE, 0.0) is None
    assert restarts.restart_delay(1, 0.0) == FIRST_DELAY_S


def test_old_deaths_are_forgiven() -> None:
    restarts = RestartPolicy()
    for second in range(MOST_DEATHS):
        restarts.restart_delay(1, float(second))
    assert restarts.restart_delay(None, WINDOW_S * 3) == FIRST_DELAY_S


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=60))
def test_never_more_starts_in_a_window_than_allowed(lives: list[float]) -> None:
    restarts, now, starts = RestartPolicy(), 0.0, []
    for lived_s in lives:
        now += lived_s
        now += delay_after(restarts, now)
        starts.append(now)
    for start in starts:
        assert sum(start - WINDOW_S < other <= start for other in starts) <= MOST_DEATHS
