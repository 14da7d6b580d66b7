"""Two that send the same in turn are noticed; one that follows another is not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rover_common.one_sender import OneSender

QUIET_S = 1.5


@given(
    runs=st.lists(st.integers(1, 10), min_size=1, max_size=20),
    gap_s=st.floats(0.0, 3.0),
)
def test_runs_that_follow_each_other_are_one_at_a_time(runs: list[int], gap_s: float) -> None:
    senders, now = OneSender(QUIET_S), 0.0
    for run, messages in enumerate(runs):
        now += gap_s
        for _ in range(messages):
            now += 0.2
            assert senders.receive(f'run {run}', now)


@given(
    period_s=st.floats(0.02, 1.0),
    offset=st.floats(0.05, 0.95),
    ever_new=st.booleans(),
)
def test_two_that_are_alive_are_not_believed_until_one_is_silent(
    period_s: float, offset: float, ever_new: bool
) -> None:
    senders, usable = OneSender(QUIET_S), []
    for number in range(200):
        at = number * period_s
        usable += [senders.receive('a', at)]
        other = f'b{number}' if ever_new else 'b'
        usable += [senders.receive(other, at + offset * period_s)]
    first = usable.index(False)
    assert first == 2, 'when the first one is heard again'
    assert not any(usable[first:])
    silent = 200 * period_s + QUIET_S + 1e-6
    assert senders.receive('a', silent)
