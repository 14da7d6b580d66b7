"""Approvals through the whole tree, and what the operator writes into them or to a question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from driving_bench import DONE, MOVE, STOP
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import (
    ApprovalGiven,
    GoalCancelled,
    PauseRequested,
    PoseReceived,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from rover_common.clocks import Standstill
from rover_common.permit import NO_PERMIT, Permit

ROVERS_STOP = '/move_stop'
NAVIGATE = '/adapter/navigate_to_pose'


@pytest.fixture
def driving(bench: MakeBench, propose: Propose) -> TreeBench:
    """A bench on which a drive is under way."""
    it = bench(propose('move_forward', duration_s=20.0), propose('get_status'))
    it.status(mast_is_open=False, mast='closed')
    it.robot.replies = {MOVE: DONE}
    it.goal()
    it.until(lambda: MOVE in it.robot.names)
    it.status(moving=True)
    it.tick(3, after=0.1)
    assert it.robot.heartbeat.permit == Permit('move_forward', 1)
    return it


@pytest.mark.parametrize(
    'event',
    [
        StopRequested('the operator'),
        PauseRequested('the operator'),
        SafetyEvent('cliff ahead', '/safety_events'),
        GoalCancelled('goal-look around', 'changed my mind'),
    ],
    ids=lambda event: type(event).__name__,
)
def test_it_is_withdrawn_in_the_tick_that_ends_the_drive(driving: TreeBench, event: Any) -> None:
    driving.inbox.put(event)
    driving.tick()
    assert driving.robot.heartbeat.permit == NO_PERMIT
    assert driving.robot.names[-1] == STOP


def test_a_better_goal_takes_it_away(driving: TreeBench) -> None:
    driving.goal('better', priority=5, tool='get_status')
    driving.tick()
    assert driving.robot.heartbeat.permit == NO_PERMIT


def test_each_drive_has_a_permit_of_its_own(driving: TreeBench) -> None:
    driving.inbox.put(PauseRequested('the operator'))
    driving.tick()
    assert driving.context.permits.give('turn_left') == Permit('turn_left', 2)


def test_a_stop_is_sent_again_past_the_adapter_until_it_is_confirmed(driving: TreeBench) -> None:
    driving.inbox.put(StopRequested('the operator'))
    driving.tick()
    sent = len(driving.robot.names)
    stale = driving.robot.heartbeat.sequence - 1
    driving.status(moving=False, heartbeat={'sender': 'fake', 'sequence': stale})
    driving.tick(5, after=0.1)
    assert driving.robot.names[sent:] == [STOP, ROVERS_STOP]
    assert driving.context.state.robot.stopping
    del driving.facts['heartbeat']
    driving.status()
    driving.tick()
    sent = len(driving.robot.names)
    assert not driving.context.state.robot.stopping
    driving.pass_time(2.0)
    assert driving.robot.names[sent:] == []


@pytest.mark.slow
def test_a_robot_that_says_nothing_is_asked_for_ever_and_told_of_once(driving: TreeBench) -> None:
    driving.inbox.put(StopRequested('the operator'))
    driving.tick(600, after=0.1)
    told = [each for each in driving.messages('ERROR') if 'stop' in each]
    assert len([each for each in told if 'The stop is not confirmed' in each]) == 1
    assert len(told) <= 5
    sent = len(driving.robot.names)
    driving.tick(100, after=0.1)
    assert 6 <= len(driving.robot.names) - sent <= 14, 'to both, every two seconds'


def test_a_stop_that_is_not_confirmed_is_told_and_so_is_its_end(driving: TreeBench) -> None:
    driving.inbox.put(StopRequested('the operator'))
    driving.tick()
    driving.pass_time(3.0)
    (told,) = [each for each in driving.messages('ERROR') if 'not confirmed' in each]
    assert 'the adapter says that the robot does not stand yet' in told
    driving.status(moving=False)
    driving.tick()
    assert any('The stop is confirmed after' in each for each in driving.messages('OBSERVE'))


@pytest.mark.parametrize(
    ('code', 'reason'),
    [('HALTED', 'move_forward was stopped: too steep'), ('STOP_CALLED', 'move_stop was called')],
)
def test_a_drive_that_somebody_else_ended_is_a_failure_with_the_reason(
    driving: TreeBench, code: str, reason: str
) -> None:
    ending = {'sender': 'fake', 'permit': 1, 'code': code, 'reason': reason}
    driving.status(moving=False, ending=ending)
    driving.until(lambda: driving.planner.results)
    assert not driving.planner.results[0].ok
    assert driving.planner.results[0].error_reason == reason


@pytest.mark.parametrize('change', [{'permit': 7}, {'sender': 'another executive'}])
def test_an_ending_of_another_motion_ends_nothing(
    driving: TreeBench, change: dict[str, Any]
) -> None:
    ending = {'sender': 'fake', 'permit': 1, 'code': 'HALTED', 'reason': 'x'} | change
    driving.status(ending=ending)
    driving.tick(3, after=0.1)
    assert driving.robot.names == [MOVE]


def test_a_server_that_does_not_say_that_its_motion_was_ended_is_given_up(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('navigate_to', x=5.0, y=3.0), propose('get_status'))
    it.status(mast_is_open=False, mast='closed')
    it.goal()
    it.until(lambda: NAVIGATE in it.robot.names)
    ending = {'sender': 'fake', 'permit': 1, 'code': 'HALTED', 'reason': 'the navigator is mute'}
    it.status(moving=False, ending=ending)
    it.tick(2)
    assert not it.planner.results
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == 'the navigator is mute'
    assert it.robot.heartbeat.permit == NO_PERMIT
    assert STOP in it.robot.names


@pytest.mark.slow
def test_a_goal_that_its_server_does_not_accept_is_given_up(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('navigate_to', x=5.0, y=3.0), propose('get_status'))
    it.status(mast_is_open=False, mast='closed')
    it.goal()
    it.until(lambda: NAVIGATE in it.robot.names)
    it.pass_time(10.0)
    assert not it.planner.results
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == (
        f'{NAVIGATE} did not accept the goal within 15 s'
    )
    assert it.robot.heartbeat.permit == NO_PERMIT


@pytest.mark.slow
def test_a_drive_whose_time_is_over_is_stopped_though_its_server_goes_on(
    bench: MakeBench, propose: Propose
) -> None:
    short = 'tools.navigate_to.timeout_s=10'
    it = bench(propose('navigate_to', x=5.0, y=3.0), propose('get_status'), overrides=[short])
    it.status(mast_is_open=False, mast='closed')
    it.goal()
    it.until(lambda: NAVIGATE in it.robot.names)
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    it.status(moving=True)
    it.until(lambda: it.robot.cancelled)
    assert it.robot.heartbeat.permit == NO_PERMIT
    assert it.robot.names == [NAVIGATE, STOP]
    it.status(moving=False)
    it.pass_time(1.0)
    assert not it.planner.results, 'its server has not said its last word'
    assert 'base' in it.context.holders
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.CANCELLED))
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == f'No answer from {NAVIGATE} within 10 s'
    assert it.robot.names == [NAVIGATE, STOP], 'it stands already'


def safety_reason(it: TreeBench) -> str:
    return it.context.state.world.safety_reason


def test_an_executive_that_stood_still_does_not_call_the_adapter_silent(
    driving: TreeBench,
) -> None:
    driving.now += 3.0
    driving.executive.step(replace(driving.moment, standstills=(Standstill(driving.now, 3.0),)))
    assert not safety_reason(driving)
    driving.tick(20, after=0.1)
    assert safety_reason(driving) == 'the adapter is silent'


def test_an_adapter_that_is_restarted_as_it_answers_has_not_driven(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('there'))
    it.robot.replies = {STOP: DONE}
    it.status(mast_is_open=False, mast='closed', moving=False, life='one')
    it.goal('drive')
    it.until(lambda: MOVE in it.robot.names)
    it.status(life='two')
    it.robot.answer(MOVE, **DONE)
    it.tick()
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == (
        'The adapter was restarted; what it was doing is lost'
    )


@pytest.mark.slow
def test_an_executive_that_stood_still_waits_for_the_confirmation_of_its_stop(
    driving: TreeBench,
) -> None:
    driving.robot.replies.pop(STOP, None)
    driving.until(lambda: STOP in driving.robot.names)
    driving.robot.answer(STOP, **DONE)
    driving.now += 6.0
    asleep = (Standstill(driving.now, 6.0),)
    driving.executive.step(replace(driving.moment, standstills=asleep))
    driving.status(moving=False)
    driving.until(lambda: driving.planner.results)
    assert driving.planner.results[0].ok


DRIVE = '/adapter/navigate_to_pose'
FAR = {'x': 55.0, 'y': -7.0}
ASK_AND_CHECK = ('guards.places=always', 'tools.navigate_to.approve=true')


def stands(it: TreeBench) -> None:
    """The rover is at 0, 0 with its mast closed."""
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))


def test_the_operator_may_edit_the_place_of_a_drive(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('navigate_to', x=1.0, y=0.0), None, overrides=ASK_AND_CHECK)
    stands(it)
    it.goal('drive to x 1, y 0')
    it.until(it.context.approvals.waiting)
    (request,) = it.context.approvals.waiting()
    it.inbox.put(ApprovalGiven(request.request_id, 'edit', FAR))
    it.until(lambda: DRIVE in it.robot.names)


@pytest.mark.parametrize('words', ['continue', '继续'])
def test_go_on_is_an_answer_unless_a_pause_holds(
    words: str, bench: MakeBench, propose: Propose
) -> None:
    asks = [propose('ask_operator', question='Shall I go on?') for _ in range(2)]
    it = bench(*asks, None)
    stands(it)
    it.goal('look around')
    it.until(lambda: it.context.state.hci.question)
    it.inbox.put(PauseRequested('the operator'))
    it.tick(2)
    it.goal('go on')
    it.until(lambda: it.context.state.hci.question, bound=50)
    it.goal(words)
    it.until(lambda: any(result.ok for result in it.planner.results))
    assert it.planner.results[-1].data['answer'] == words
