"""The order of goals: priority, preemption and deadlines, through the whole tree."""

from __future__ import annotations

from driving_bench import DONE, MOVE, STOP, driving
from known import known
import pytest
from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer

MAST = '/adapter/mast_open'


def test_a_better_goal_comes_first_and_the_first_one_goes_on(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(
        propose('get_status'),
        propose('move_nudge'),
        Answer('looked'),
        Answer('driven'),
    )
    it.robot.replies = {MOVE: DONE, STOP: DONE, '/adapter/get_status': {**DONE, 'message': '{}'}}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('drive')
    it.until(lambda: MOVE in it.robot.names)
    it.goal('look', priority=5)
    it.tick()
    assert it.robot.names[-1] == STOP
    assert known(it.context.state.react.decision).type.value == 'SWITCH_TASK'
    it.until(lambda: len(it.reporter.endings) == 2)
    assert [each['goal'] for each in it.reporter.endings] == ['look', 'drive']
    assert [goal for goal, _ in it.planner.started] == ['drive', 'look', 'drive']
    history = it.planner.started[2][1].history
    assert history[0][0].tool == 'get_status'
    assert history[0][1].ok
    assert it.reporter.endings[1]['steps'] >= 1


def test_a_goal_that_must_not_be_preempted_is_ended_first() -> None:
    it = driving(preemptible=False)
    it.goal('look', priority=5)
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == 'drive'
    assert it.robot.names == [MOVE, STOP, MOVE, STOP]


def test_a_goal_of_equal_priority_waits() -> None:
    it = driving()
    it.goal('look')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == 'drive'


def test_a_drive_waits_for_the_end_of_a_mast_command_that_it_preempts(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('mast_open'), Answer('up'))
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('raise the mast')
    it.until(lambda: MAST in it.robot.names)
    it.goal('drive', priority=9, tool='move_nudge')
    it.pass_time(1.0)  # the status is still of before the command
    assert it.robot.names == [MAST]
    it.robot.answer(MAST, **DONE)
    it.status(mast_is_open=True, mast='open')
    it.until(lambda: it.reporter.endings)
    assert 'Need to close mast' in it.reporter.endings[0]['answer']
    assert MOVE not in it.robot.names


def test_a_deadline_ends_the_active_goal_and_a_waiting_one() -> None:
    it = driving(deadline=103.0)
    it.goal('look', deadline=101.5)
    it.until(lambda: it.reporter.endings)
    assert it.now == pytest.approx(101.5, abs=0.2)
    assert it.robot.names == [MOVE], 'the active goal goes on'
    it.until(lambda: len(it.reporter.endings) == 2)
    assert it.now == pytest.approx(103.0, abs=0.2)
    assert [each['answer'] for each in it.reporter.endings] == ['The deadline has passed'] * 2
    assert it.robot.names == [MOVE, STOP]
