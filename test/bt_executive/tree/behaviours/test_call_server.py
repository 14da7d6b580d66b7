"""Calls of servers that run, fail, or stay silent."""

from __future__ import annotations

from known import known
from py_trees.common import Status
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import ENDS, CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    GoalReceived,
    ParametersSet,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)

CAPTURE, MOVE = '/capture_and_score', '/adapter/move_forward'
BETTER = Task(task_id='better', goal='look over there', priority=5)


def capturing(bench: MakeBench, propose: Propose, *overrides: str) -> TreeBench:
    """A bench on which a picture is being taken."""
    it = bench(propose('capture_and_score'), Answer('done'), overrides=overrides)
    it.status()
    it.goal('one')
    it.until(lambda: CAPTURE in it.robot.names)
    return it


def test_what_runs_is_in_the_state(bench: MakeBench, propose: Propose) -> None:
    it = capturing(bench, propose)
    it.tick()
    (running,) = it.context.state.skills.running
    assert (running.skill_name, running.resources_occupied) == ('capture_and_score', ('camera',))
    assert it.context.state.robot.resources['camera_busy']
    it.robot.answer(CAPTURE, ok=True, score=0.5, is_good=False, debug='')
    it.until(lambda: it.reporter.endings)
    it.tick()
    assert it.context.state.skills.running == ()
    assert not it.context.state.robot.resources['camera_busy']


def test_guards_say_what_they_see(bench: MakeBench, propose: Propose) -> None:
    it = capturing(bench, propose)
    nodes = it.executive.root.iterate()
    said = {node.name: node.feedback_message for node in nodes if node.status is Status.SUCCESS}
    assert said['Standing still?'] == 'stands'
    assert said['Mast open?'] == 'open'
    assert said['Within budget?'] == said['Required data fresh?'] == ''


def test_a_better_goal_interrupts_a_preemptible_tool(bench: MakeBench, propose: Propose) -> None:
    it = capturing(bench, propose)
    it.inbox.put(GoalReceived(BETTER))
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == BETTER.goal
    assert 'camera' in it.context.calls.leases.holders, 'the service has not answered'


def test_a_better_goal_waits_for_a_tool_that_is_not_preemptible(
    bench: MakeBench, propose: Propose
) -> None:
    uninterrupted = 'tools.capture_and_score.preemptible=false'
    it = capturing(bench, propose, uninterrupted)
    it.inbox.put(GoalReceived(BETTER))
    it.tick(5)
    assert known(it.context.task).task_id == 'goal-one'
    assert not it.reporter.endings
    it.robot.answer(CAPTURE, ok=True, score=0.5, is_good=False, debug='')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == BETTER.goal


def test_a_server_that_has_gone_is_told_apart_from_one_that_is_slow(
    bench: MakeBench, propose: Propose
) -> None:
    it = capturing(bench, propose)
    it.robot.absent = {CAPTURE}
    it.until(lambda: it.messages('ERROR'))
    assert it.messages('ERROR')[0] == f'The server of {CAPTURE} has gone'
    assert it.now < 102.0


def test_a_server_that_is_missed_for_a_moment_is_not_lost(
    bench: MakeBench, propose: Propose
) -> None:
    it = capturing(bench, propose)
    for _ in range(4):
        it.robot.absent = {CAPTURE}
        it.tick(5, after=0.1)
        it.status()
        it.robot.absent = set()
        it.tick(1, after=0.1)
    assert not it.messages('ERROR')


def drilling(bench: MakeBench, propose: Propose) -> TreeBench:
    """A bench on which a motion is under way that another service ends than the base's stop."""
    motion = '{stop: curiosity.mast_close, duration_arg: duration_s}'
    overrides = [f'tools.move_forward.motion={motion}']
    it = bench(propose('move_forward', duration_s=5), Answer('done'), overrides=overrides)
    it.robot.replies = {MOVE: {'success': True, 'message': ''}}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal()
    it.until(lambda: MOVE in it.robot.names)
    return it


@pytest.mark.slow
def test_a_motion_is_ended_by_the_stop_of_its_own(bench: MakeBench, propose: Propose) -> None:
    it = drilling(bench, propose)
    it.robot.replies |= {'/mast_close': {}}
    it.until(lambda: it.planner.results)
    assert it.robot.names == [MOVE, '/mast_close']
    assert it.planner.results[0].ok


def test_a_motion_that_is_preempted_is_ended_by_the_stop_of_its_own(
    bench: MakeBench, propose: Propose
) -> None:
    it = drilling(bench, propose)
    it.inbox.put(SafetyEvent('cliff', 'a test'))
    it.tick()
    assert sorted(it.robot.names[1:]) == ['/adapter/move_stop', '/mast_close']


def test_a_stop_that_was_answered_with_no_is_not_confirmed(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('done'))
    still = 'No answer from /move_stop; it is asked again until it answers'
    it.robot.replies = {
        MOVE: {'success': True, 'message': ''},
        '/adapter/move_stop': {'success': False, 'message': still},
    }
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal()
    it.until(lambda: it.planner.results)
    assert not it.planner.results[0].ok
    assert it.planner.results[0].error_reason == f'The stop was not confirmed: {still}'


@pytest.mark.slow
def test_a_budget_that_is_raised_holds_for_the_tool_that_runs(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('wait', seconds=30), Answer('done'), overrides=['goal.max_wall_s=10.0'])
    it.status()
    it.goal()
    it.until(lambda: it.now > 105.0)
    it.inbox.put(ParametersSet({'executive.goal.max_wall_s': 60.0}))
    it.until(lambda: it.reporter.endings)
    assert it.planner.results[0].ok
    assert it.reporter.endings[0]['outcome'] == 'answered'


NAVIGATE = '/adapter/navigate_to_pose'


@pytest.fixture
def it(bench: MakeBench, propose: Propose) -> TreeBench:
    """The rover drives somewhere; the next goal is to drive somewhere else."""
    drives = propose('navigate_to', x=1.0, y=2.0), propose('navigate_to', x=3.0, y=4.0)
    it = bench(*drives, Answer('done'))
    it.facts |= {'mast_is_open': False, 'mast': 'closed'}
    it.status()
    it.goal('drive', deadline=it.now + 5.0)
    it.until(lambda: NAVIGATE in it.robot.names)
    it.inbox.put(ServerCallUpdate(it.robot.sent[-1][0], CallInput.ACCEPT))
    it.robot.silent = {NAVIGATE}
    it.until(lambda: f'{NAVIGATE} was asked to end and did not' in it.messages('ERROR'))
    assert not it.context.calls.leases.holders
    return it


@pytest.mark.slow
def test_it_is_asked_again_and_again_until_it_answers(it: TreeBench) -> None:
    server_call_id = it.robot.sent[0][0]
    it.pass_time(10.0)
    assert 10 < len(it.robot.cancelled_again) <= 21  # the ticks of this test are not so frequent
    assert set(it.robot.cancelled_again) == {(server_call_id, it.robot.goals[server_call_id])}
    it.robot.silent.clear()
    it.pass_time(1.0)
    assert it.messages('OBSERVE').count(f'{NAVIGATE} answers again') == 1
    asked = len(it.robot.cancelled_again)
    it.pass_time(10.0)
    assert len(it.robot.cancelled_again) == asked


@pytest.mark.slow
def test_the_next_goal_is_sent_when_it_has_answered(it: TreeBench) -> None:
    it.goal('drive elsewhere')
    it.pass_time(10.0)
    assert it.robot.names.count(NAVIGATE) == 1
    it.robot.silent.clear()
    it.until(lambda: it.robot.names.count(NAVIGATE) == 2)


@pytest.mark.slow
def test_the_next_goal_fails_if_it_stays_silent(it: TreeBench) -> None:
    it.goal('drive elsewhere')
    since = it.now
    it.until(lambda: len(it.reporter.endings) == 2)
    assert it.now - since == pytest.approx(15.0, abs=1.0)
    assert it.robot.names.count(NAVIGATE) == 1
    assert it.planner.results[-1].error_reason == (
        f'Action {NAVIGATE} did not end its last goal and does not answer (waited 15 s)'
    )
    assert known(it.context.state.skills.last_result).error_code == 'UNAVAILABLE'


@pytest.mark.slow
def test_nobody_is_asked_while_nobody_is_there(it: TreeBench) -> None:
    it.robot.absent.add(NAVIGATE)
    asked = len(it.robot.cancelled_again)
    it.pass_time(10.0)
    assert len(it.robot.cancelled_again) == asked
    it.robot.absent.clear()
    it.pass_time(1.0)
    assert len(it.robot.cancelled_again) > asked


@pytest.mark.parametrize('stops', [False, True])
@pytest.mark.slow
def test_a_server_that_was_missed_is_asked_to_end_its_goal(
    bench: MakeBench, propose: Propose, stops: bool
) -> None:
    """It was cut off and drives on; the operator may have stopped it meanwhile."""
    drives = propose('navigate_to', x=1.0, y=2.0), propose('navigate_to', x=3.0, y=4.0)
    it = bench(*drives, Answer('done'))
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: NAVIGATE in it.robot.names)
    it.inbox.put(ServerCallUpdate(it.robot.sent[-1][0], CallInput.ACCEPT))
    it.robot.absent, it.robot.silent = {NAVIGATE}, {NAVIGATE}
    it.pass_time(0.5)
    if stops:
        it.inbox.put(StopRequested('the operator'))
    it.until(lambda: f'The server of {NAVIGATE} has gone' in it.messages('ERROR'))
    it.pass_time(1.0)
    assert not it.robot.cancelled_again
    it.robot.absent.clear()
    it.goal('drive elsewhere')
    it.pass_time(5.0)
    assert it.robot.cancelled_again
    assert it.robot.names.count(NAVIGATE) == 1
    it.robot.silent.clear()
    it.until(lambda: it.robot.names.count(NAVIGATE) == 2)


@pytest.mark.parametrize('happened', sorted(ENDS, key=str))
@pytest.mark.slow
def test_the_end_of_its_goal_shows_that_it_is_free(it: TreeBench, happened: CallInput) -> None:
    it.inbox.put(ServerCallUpdate(it.robot.sent[0][0], happened))
    it.tick()
    assert not it.context.calls.silent.all()
    assert it.messages('OBSERVE')[-1] == f'{NAVIGATE} answers again'


@pytest.mark.parametrize(
    'happened',
    [CallInput.ACCEPT, CallInput.PROGRESS, CallInput.CANCEL_ACCEPTED, CallInput.CANCEL_REFUSED],
)
@pytest.mark.slow
def test_any_other_answer_shows_that_it_still_runs_its_goal(
    it: TreeBench, happened: CallInput
) -> None:
    server_call_id, asked = it.robot.sent[0][0], len(it.robot.cancelled_again)
    it.goal('drive elsewhere')
    for _ in range(50):
        it.inbox.put(ServerCallUpdate(server_call_id, happened))
        it.pass_time(0.1)
    assert it.robot.names.count(NAVIGATE) == 1
    assert len(it.robot.cancelled_again) > asked + 5
    assert it.context.absence(known(it.context.registry['navigate_to'].endpoint)) == (
        'still runs its last goal'
    )
    assert it.messages('OBSERVE').count(f'{NAVIGATE} still runs its last goal') == 1
    assert not [each for each in it.messages('OBSERVE') if 'Late answer' in each]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.CANCELLED))
    it.until(lambda: it.robot.names.count(NAVIGATE) == 2)
    assert f'{NAVIGATE} has ended its last goal' in it.messages('OBSERVE')


def test_the_next_goal_waits_for_the_end_of_a_cancelled_one_that_holds_no_resource(
    bench: MakeBench,
) -> None:
    it = bench(
        overrides=[
            'robot.tools.act={action: {name: /act, type: demo/action/Do}, idempotent: true}',
            'robot.tools.twice={retry: {times: 2, do: {timeout: {seconds: 1, do: act}}}}',
        ]
    )
    it.status()
    it.goal('act', tool='twice')
    it.until(lambda: it.robot.sent)
    server_call_id = it.robot.sent[0][0]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    it.until(lambda: server_call_id in it.robot.cancelled, bound=20)
    it.pass_time(1.0)
    assert it.robot.names == ['/act']
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.CANCELLED))
    it.until(lambda: it.robot.names == ['/act', '/act'], bound=5)
