"""Goals that a stop ends, that a better one parks, and that end by their deadline."""

from __future__ import annotations

from collections.abc import Callable

from driving_bench import DONE, INTERRUPTED, MOVE, STOP, driving
from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import GoalCancelled, PauseRequested, SafetyEvent, StopRequested

STATUS = '/adapter/get_status'


def test_a_goal_that_comes_right_behind_a_stop_is_pursued_after_it() -> None:
    it = driving()
    it.robot.replies |= {STATUS: DONE | {'message': '{}'}}
    it.goal('waits')
    it.inbox.put(StopRequested('the operator'))
    it.goal('after it', tool='get_status')
    it.tick()
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted'] * 2
    it.until(lambda: len(it.reporter.endings) == 3)
    assert it.reporter.endings[-1]['outcome'] == 'reached'
    assert it.robot.names.count(STATUS) == 1


def test_a_second_stop_ends_what_came_behind_the_first() -> None:
    it = driving()
    it.inbox.put(StopRequested('the operator'))
    it.goal('after it', tool='get_status')
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted'] * 2


def test_in_safe_a_goal_behind_a_stop_is_refused() -> None:
    it = driving()
    it.inbox.put(StopRequested('the operator'))
    it.goal('after it', tool='get_status')
    it.inbox.put(SafetyEvent('cliff', 'the scanner'))
    it.tick(2)
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted', 'failed']
    assert STATUS not in it.robot.names


def test_a_pause_that_holds_over_an_agents_stop_is_still_the_operators() -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.tick()
    it.inbox.put(StopRequested('an agent'))
    it.tick(3)
    assert it.context.state.tasks.preempt_reason == 'pause by the operator'


ENDS: dict[str, Callable[[TreeBench], object]] = {
    'stop': lambda it: it.inbox.put(StopRequested('the operator')),
    'cancel': lambda it: it.inbox.put(GoalCancelled('goal-drive', 'not wanted')),
    'deadline': lambda it: setattr(it, 'now', it.now + 100.0),
    'safety event': lambda it: it.inbox.put(SafetyEvent('cliff', 'the scanner')),
}


@pytest.mark.parametrize('what', ENDS)
def test_a_tool_that_is_cut_off_leaves_its_result(what: str) -> None:
    it = driving(deadline=150.0)
    ENDS[what](it)
    it.status()
    it.tick()
    last = it.context.state.skills.last_result
    assert last is not None
    code = 'SAFETY_VIOLATION' if what == 'safety event' else 'CANCELLED'
    assert (last.status, last.error_code) == ('CANCELLED', code)
    assert it.reporter.endings[0]['steps'] == 1
    (told,) = [each for each in it.events if each.tool_name == 'move_nudge' and not each.ok][-1:]
    assert told.message == f'move_nudge: {INTERRUPTED}'


@pytest.mark.parametrize('what', ENDS)
def test_a_tool_that_has_ended_before_stock_was_taken_leaves_its_result(what: str) -> None:
    """A stop goes to adapter and executive; the call may be over before the executive hears it."""
    it = driving(deadline=150.0)
    it.until(lambda: it.context.round.ended_at is not None)
    assert it.context.task is not None, 'stock waits for a fresh status'
    assert not it.reporter.endings
    ENDS[what](it)
    it.tick()
    told = [each for each in it.events if each.tool_name and each.kind in ('RESULT', 'ERROR')]
    assert [each.tool_name for each in told] == ['move_nudge']
    ends = [number for number, each in enumerate(it.events) if 'goal_ended' in (each.data or {})]
    assert it.events.index(told[0]) < ends[0]
    assert it.reporter.endings[0]['steps'] == 1


def test_one_stop_is_told_once_and_a_later_one_again(bench: MakeBench) -> None:
    it = bench()
    it.status(moving=False)
    for seconds in (0.0, 0.3, 1.0, 5.0):
        it.pass_time(seconds)
        it.inbox.put(StopRequested('the operator'))
        it.tick()
    it.inbox.put(StopRequested('an agent'))
    it.tick()
    told = [each for each in it.messages('OBSERVE') if each.startswith('stop requested')]
    assert told == [*['stop requested by the operator'] * 2, 'stop requested by an agent']
    assert it.messages('ACT') == ['Stop the base'] * 3
    assert it.messages('RESULT') == [*['Stopped by the operator'] * 2, 'Stopped by an agent']
    assert it.robot.names.count(STOP) == 5, 'each is sent'


def test_stops_that_come_at_once_are_told_by_the_first(bench: MakeBench) -> None:
    it = bench()
    it.status(moving=False)
    for _ in range(3):
        it.inbox.put(StopRequested('the operator'))
    it.tick(2)
    assert it.messages('RESULT') == ['Stopped by the operator']
    assert it.messages('ACT') == ['Stop the base']


def test_a_goal_that_a_repeated_stop_ends_is_told() -> None:
    it = driving()
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    it.goal('after it', tool='get_status')
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted'] * 2
    assert it.messages('RESULT').count('Stopped by the operator') == 2
    assert it.messages('ACT').count('Stop the base') == 2
    assert it.messages('OBSERVE').count('stop requested by the operator') == 2


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


@pytest.mark.slow
def test_a_goal_that_must_not_be_preempted_is_ended_first() -> None:
    it = driving(preemptible=False)
    it.goal('look', priority=5)
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == 'drive'
    assert it.robot.names == [MOVE, STOP, MOVE, STOP]


@pytest.mark.slow
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
