"""A robot that nobody drives, and that does not stand, is reported once it lasts, and its end."""

from __future__ import annotations

import pytest
from tree_bench import MakeBench, TreeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.tree.standing_watch import NOT_STANDING_S, UNDRIVEN

UNKNOWN = 'It is not known whether the rover stands: no transform has come'
STANDS = 'The robot stands'


@pytest.fixture
def it(bench: MakeBench) -> TreeBench:
    made = bench(Answer('done'))
    made.status(moving=False)
    made.tick()
    return made


@pytest.mark.parametrize(
    ('facts', 'why'),
    [
        ({'at_rest': False}, UNDRIVEN),
        ({'at_rest': None, 'standing_unknown': UNKNOWN}, UNKNOWN),
    ],
)
def test_it_is_reported_once_when_it_lasts_and_once_when_it_is_over(
    it: TreeBench, facts: dict[str, object], why: str
) -> None:
    it.status(**facts)
    it.pass_time(NOT_STANDING_S - 0.2)
    assert it.messages('ERROR') == []
    it.pass_time(5.0)
    assert it.messages('ERROR') == [why]
    assert STANDS not in it.messages('OBSERVE')
    it.status(at_rest=True, standing_unknown=None)
    it.pass_time(1.0)
    assert it.messages('ERROR') == [why]
    assert it.messages('OBSERVE').count(STANDS) == 1


def test_a_moment_is_not_reported(it: TreeBench) -> None:
    for _ in range(5):
        it.status(at_rest=False)
        it.pass_time(NOT_STANDING_S / 2)
        it.status(at_rest=True)
        it.pass_time(NOT_STANDING_S / 2)
    assert it.messages('ERROR') == []
