"""Rounds that lead nowhere, and tools that time out, through the whole tree."""

from __future__ import annotations

import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer

MOVE, STOP, CAPTURE = '/adapter/move_forward', '/adapter/move_stop', '/capture_and_score'
DONE = {'success': True, 'message': ''}


def ask_and_answer(it: TreeBench, words: str) -> None:
    it.until(lambda: it.context.state.hci.question)
    it.goal(words)
    it.tick()


def test_the_same_refusal_again_and_again_asks_the_operator(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(*(propose('move_nudge') for _ in range(3)), Answer('as you say'))
    it.status(mast_is_open=True, mast='open')
    it.goal('drive')
    it.until(lambda: it.context.state.hci.question)
    assert 'The same proposal was refused 3 times in a row' in it.context.state.hci.question
    ask_and_answer(it, 'stow the mast')
    it.until(lambda: it.reporter.endings and len(it.reporter.endings) == 2)
    assert it.planner.results[-1].error_reason == 'Need to close mast'
    assert it.planner.results[-1].data['operator_says'] == 'stow the mast'


@pytest.mark.slow
@pytest.mark.parametrize(
    ('tools', 'max_failures', 'words'),
    [
        (['move_nudge', 'fly'] * 3, 50, 'Going back and forth'),
        (['a', 'b', 'c', 'd', 'e'], 5, '5 rounds in a row failed'),
    ],
)
def test_an_operator_who_is_silent_ends_a_goal_that_leads_nowhere(
    bench: MakeBench,
    propose: Propose,
    tools: list[str],
    max_failures: int,
    words: str,
) -> None:
    it = bench(*map(propose, tools), overrides=[f'decisions.max_failures={max_failures}'])
    it.status(mast_is_open=True, mast='open')
    it.goal('drive')
    it.until(lambda: it.context.state.hci.question)
    assert words in it.context.state.hci.question
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'gave_up'
    assert 'The operator gave no answer within 120 s' in it.reporter.endings[0]['answer']


def test_an_idempotent_tool_that_timed_out_is_repeated_once(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), Answer('bright'))
    it.status()
    it.goal('look')
    it.until(lambda: it.robot.names.count(CAPTURE) == 2)
    assert it.planner.results == [], 'the planner waits'
    it.robot.answer(CAPTURE, ok=True, score=0.9, is_good=True, debug='')
    it.until(lambda: it.reporter.endings)
    assert it.planner.results[0].ok
    assert it.reporter.endings[0]['outcome'] == 'reached'


def test_a_motion_that_timed_out_is_not_repeated(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('move_nudge'), Answer('stuck'))
    it.robot.replies = {STOP: DONE}
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [MOVE, STOP]
