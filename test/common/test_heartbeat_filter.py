"""Which heartbeats count, whatever happens to them on the way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.heartbeat_filter import HeartbeatFilter
from rover_common.permit import Heartbeat
from rover_common.reason import sentence_of

MAX_AGE_S = 0.3
NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ('sent_at', 'reason'),
    [
        (NOW, ''),
        (NOW - 0.29, ''),
        (NOW + 0.29, ''),
        (NOW - 5.0, 'it is 5.00 s old when it is read'),
        (NOW + 2.0, 'it is stamped 2.00 s in the future'),
    ],
)
def test_a_beat_counts_by_its_age_when_it_is_read(sent_at: float, reason: str) -> None:
    heartbeats = HeartbeatFilter[Heartbeat](MAX_AGE_S, 'heartbeat')
    assert reason in sentence_of(heartbeats.receive(Heartbeat('one', 1, sent_at), NOW))
    assert (heartbeats.latest is None) == bool(reason)


def test_a_beat_of_a_life_before_does_not_come_back() -> None:
    heartbeats = HeartbeatFilter[Heartbeat](MAX_AGE_S, 'heartbeat')
    assert not heartbeats.receive(Heartbeat('new', 1, NOW), NOW)
    assert 'a later one came before it' in sentence_of(
        heartbeats.receive(Heartbeat('old', 99, NOW - 0.1), NOW)
    )
    assert heartbeats.latest is not None
    assert heartbeats.latest.sender == 'new'


def test_a_new_life_counts_after_the_clock_was_set_back() -> None:
    heartbeats = HeartbeatFilter[Heartbeat](MAX_AGE_S, 'heartbeat')
    earlier = NOW - 3600.0
    assert not heartbeats.receive(Heartbeat('old', 99, NOW), NOW)
    assert not heartbeats.receive(Heartbeat('new', 1, earlier), earlier)
    assert heartbeats.receive(Heartbeat('old', 100, NOW + 0.1), earlier + 0.1)
    assert heartbeats.latest is not None
    assert heartbeats.latest.sender == 'new'


@given(
    order=st.permutations(range(1, 8)),
    copies=st.lists(st.integers(1, 7), max_size=6),
)
def test_in_whatever_order_they_come_the_latest_holds(order: list[int], copies: list[int]) -> None:
    heartbeats, seen = HeartbeatFilter[Heartbeat](MAX_AGE_S, 'heartbeat'), 0
    for number in [*order, *copies]:
        counted = not heartbeats.receive(Heartbeat('one', number, NOW + number * 0.01), NOW)
        assert counted == (number > seen)
        seen = max(seen, number)
        assert heartbeats.latest is not None
        assert heartbeats.latest.sequence == seen
