"""Which messages count, whatever happens on the way; numbers that begin something once; ages."""

from __future__ import annotations

import ast
from pathlib import Path
import re

from hypothesis import given
from hypothesis import strategies as st
from known import known
import pytest

from rover_common.message_order import (
    ANOTHER_CLOCK_S,
    MOST_RUNS,
    UNSTAMPED,
    HeartbeatFilter,
    RunNumber,
    UsedNumbers,
    age_of,
)
from rover_common.permit import Heartbeat, Permit
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
    assert known(heartbeats.latest).sender == 'new'


def test_a_new_life_counts_after_the_clock_was_set_back() -> None:
    heartbeats = HeartbeatFilter[Heartbeat](MAX_AGE_S, 'heartbeat')
    earlier = NOW - 3600.0
    assert not heartbeats.receive(Heartbeat('old', 99, NOW), NOW)
    assert not heartbeats.receive(Heartbeat('new', 1, earlier), earlier)
    assert heartbeats.receive(Heartbeat('old', 100, NOW + 0.1), earlier + 0.1)
    assert known(heartbeats.latest).sender == 'new'


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
        assert known(heartbeats.latest).sequence == seen


ROOT = Path(__file__).resolve().parents[2]
COMPARED = re.compile(r'\.(sequence|taken)\b')
NUMBERS = st.builds(RunNumber, st.sampled_from(['one', 'two']), st.integers(0, 20))


@given(NUMBERS, NUMBERS)
def test_a_number_reaches_its_own_and_earlier_ones_of_the_same_run(
    one: RunNumber, other: RunNumber
) -> None:
    assert one.reaches(other) == (one.run == other.run and one.number >= other.number)


@given(st.lists(NUMBERS, max_size=20), NUMBERS)
def test_only_the_same_run_uses_numbers_up(used: list[RunNumber], asked: RunNumber) -> None:
    numbers = UsedNumbers()
    for each in used:
        numbers.use(each)
    assert numbers.has(asked) == (not asked.number or any(each.reaches(asked) for each in used))


@given(st.integers(1, 10_000), st.integers(1, 10_000))
def test_a_new_run_is_heard_at_once_however_far_the_last_one_had_counted(
    last: int, first: int
) -> None:
    heard = HeartbeatFilter[Heartbeat](0.3, 'heartbeat')
    assert heard.receive(Heartbeat('runs/1.a', last, 100.0, Permit('move', 7)), 100.0) is None
    assert heard.receive(Heartbeat('runs/1.b', first, 100.2, Permit('move', 7)), 100.2) is None


@pytest.mark.slow
def test_no_other_place_compares_the_sequence_of_two_messages() -> None:
    found = [
        f'{path.relative_to(ROOT)}:{node.lineno}'
        for folder in ('adapter', 'bt_executive', 'common', 'vision', 'memory')
        for path in (ROOT / folder).rglob('*.py')
        if COMPARED.search(text := path.read_text())  # most files have neither word
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Compare)
        and any(
            isinstance(each, ast.Attribute) and each.attr in ('sequence', 'taken')
            for each in (node.left, *node.comparators)
        )
    ]
    assert found == []


def test_the_sender_that_was_silent_longest_is_forgotten_first() -> None:
    used = UsedNumbers()
    for number in range(MOST_RUNS):
        used.use(RunNumber(str(number), 1))
    used.use(RunNumber('0', 2))
    used.use(RunNumber('another', 1))
    assert used.has(RunNumber('0', 2))
    assert not used.has(RunNumber('1', 1))
    assert used.has(RunNumber('2', 1))


@pytest.mark.parametrize(
    ('stamp', 'age_s'),
    [
        (NOW, 0.0),
        (NOW - 0.25, 0.25),
        (NOW - 2.0, 2.0),
        (NOW + 0.25, 0.0),  # a clock that is ahead
        (UNSTAMPED, 0.0),
        (123.4, 0.0),  # since a driver was started
        (NOW - ANOTHER_CLOCK_S, 0.0),
    ],
)
def test_a_measurement_is_as_old_as_its_stamp_says(stamp: float, age_s: float) -> None:
    assert age_of(stamp, NOW) == pytest.approx(age_s)
