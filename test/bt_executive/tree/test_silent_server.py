"""A server that did not end a goal gets the next one only after it has answered something."""

from __future__ import annotations

from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import ServerCallUpdate

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


def test_nobody_is_asked_while_nobody_is_there(it: TreeBench) -> None:
    it.robot.absent.add(NAVIGATE)
    asked = len(it.robot.cancelled_again)
    it.pass_time(10.0)
    assert len(it.robot.cancelled_again) == asked
    it.robot.absent.clear()
    it.pass_time(1.0)
    assert len(it.robot.cancelled_again) > asked


@pytest.mark.parametrize(
    'happened',
    [CallInput.ACCEPT, CallInput.PROGRESS, CallInput.CANCEL_ACCEPTED, CallInput.SUCCEED],
)
def test_any_answer_shows_that_it_is_there(it: TreeBench, happened: CallInput) -> None:
    it.inbox.put(ServerCallUpdate(it.robot.sent[0][0], happened))
    it.tick()
    assert not it.context.calls.silent.all()
    assert it.messages('OBSERVE')[-1] == f'{NAVIGATE} answers again'
