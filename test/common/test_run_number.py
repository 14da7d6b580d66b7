"""Numbers of two runs tell no order, whatever they are."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.heartbeat_filter import HeartbeatFilter
from rover_common.permit import Heartbeat, Permit
from rover_common.run_number import RunNumber, UsedNumbers

ROOT = Path(__file__).resolve().parents[2]
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
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Compare)
        and any(
            isinstance(each, ast.Attribute) and each.attr in ('sequence', 'taken')
            for each in (node.left, *node.comparators)
        )
    ]
    assert found == []
