"""Calls to action servers that misbehave: the next call is always unharmed."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus
from puppet_skills import LOOK_UP, gone, overdue, told_to_end_in_vain
import pytest

from bt_executive.core.call_states import CallState
from bt_executive.core.inputs import ResetRequested
from bt_executive.core.state import Mode

pytestmark = pytest.mark.ros

SUCCEEDED, CANCELED, ABORTED = (
    GoalStatus.STATUS_SUCCEEDED,
    GoalStatus.STATUS_CANCELED,
    GoalStatus.STATUS_ABORTED,
)


def asked(it: Any, server: Any) -> str:
    """Until the server has the request; returns the executive's goal."""
    goal: str = it.ask('look_up', target='map')
    it.until(lambda: server.count('goal'))
    return goal


def accept(it: Any, server: Any) -> None:
    """Until the latest goal is accepted."""
    server.do('accept')
    it.until(lambda: it.state() is CallState.ACCEPTED)
    server.wait_for('result')


def begun(it: Any, server: Any) -> str:
    """Until the server has accepted a request; returns the executive's goal."""
    goal = asked(it, server)
    accept(it, server)
    return goal


def running(it: Any, server: Any) -> None:
    """Until feedback has come. It is repeated: what is said before DDS has matched is lost."""

    def came() -> bool:
        server.do('feedback')
        return it.state() is CallState.RUNNING

    it.until(came)


def speaks_again(it: Any, server: Any) -> None:
    """A server that did not end a goal in time answers when it is asked for it once more."""
    server.do('cancel', answer='unknown')
    it.until(lambda: it.said('/puppet/look_up answers again'))


def is_asked_to_cancel_again(it: Any, server: Any) -> None:
    """What is sent before the server is found is lost, and sent again."""

    def is_asked() -> bool:
        it.pass_time(it.context.config.executive.sessions.cancel_repeat_s)
        return bool(it.comes(lambda: server.count('cancel')))

    assert any(is_asked() for _ in range(60))


def look_up_is_unharmed(it: Any, server: Any) -> None:
    """A whole call of the action, from goal to result."""
    it.until(lambda: not it.leased)
    server.mark()
    ends = len(it.calls.ends())
    begun(it, server)
    server.do('result', status=SUCCEEDED)
    assert it.result().ok
    assert it.calls.ends()[ends:] == [CallState.SUCCEEDED]
    it.until(lambda: it.endings and it.endings[-1]['outcome'] == 'reached')
    it.until(lambda: not it.leased)


@pytest.fixture
def server(kept_puppet: Any) -> Any:
    """The action's server."""
    return kept_puppet(*LOOK_UP)


def test_an_action_runs_from_goal_to_result(it: Any, server: Any) -> None:
    asked(it, server)
    assert server.last('goal')['goal']['target_frame'] == 'map'
    accept(it, server)
    running(it, server)
    server.do('result', status=SUCCEEDED, fields={'transform': {'child_frame_id': 'map'}})
    result = it.result()
    assert result.ok
    assert result.data['transform']['child_frame_id'] == 'map'
    look_up_is_unharmed(it, server)


def test_a_rejected_goal_fails_the_tool(it: Any, server: Any) -> None:
    asked(it, server)
    server.do('reject')
    assert it.result().error_reason == 'The server rejected the goal'
    assert it.calls.ends() == [CallState.REJECTED]
    look_up_is_unharmed(it, server)


def test_an_actions_own_error_code_decides_how_it_goes_on(it: Any, server: Any) -> None:
    begun(it, server)
    error = {'error': {'error': 2, 'error_string': 'map and odom are not connected'}}
    server.do('result', status=ABORTED, fields=error)
    it.until(lambda: it.endings)
    assert it.context.state.skills.last_result.error_code == 'CONNECTIVITY'
    assert it.endings[0]['answer'] == 'map and odom are not connected'
    it.until(lambda: it.context.state.tasks.mode is Mode.SAFE)
    assert 'map and odom are not connected' in it.context.state.world.safety_reason
    it.inbox.put(ResetRequested('the test'))
    look_up_is_unharmed(it, server)


def test_cancel_before_acceptance_is_sent_with_the_acceptance(it: Any, server: Any) -> None:
    goal = asked(it, server)
    it.give_up(goal)
    it.until(lambda: it.state() is CallState.CANCEL_WANTED)
    assert it.leased
    assert server.count('cancel') == 0
    server.do('accept')
    it.until(lambda: server.count('cancel'))
    assert it.leased
    server.do('cancel', answer='accept')
    server.wait_for('result')
    server.do('result', status=CANCELED)
    it.until(lambda: not it.leased)
    assert it.calls.ends() == [CallState.CANCELLED]
    look_up_is_unharmed(it, server)


def test_cancel_before_a_rejection_needs_nothing_more(it: Any, server: Any) -> None:
    goal = asked(it, server)
    it.give_up(goal)
    server.do('reject')
    it.until(lambda: not it.leased)
    assert it.calls.ends() == [CallState.CANCELLED]
    look_up_is_unharmed(it, server)


def test_a_refused_cancel_is_repeated_and_the_lease_waits_for_the_result(
    it: Any, server: Any
) -> None:
    goal = begun(it, server)
    it.give_up(goal)
    it.until(lambda: server.count('cancel') == 1)
    server.do('cancel', answer='refuse')
    it.pass_time(it.context.config.executive.sessions.cancel_repeat_s)
    it.until(lambda: server.count('cancel') == 2)
    server.do('cancel', answer='refuse')
    assert it.leased
    server.do('result', status=SUCCEEDED)
    it.until(lambda: not it.leased)
    assert it.calls.ends() == [CallState.SUCCEEDED]
    look_up_is_unharmed(it, server)


def test_an_accepted_cancel_is_not_repeated(it: Any, server: Any) -> None:
    goal = begun(it, server)
    it.give_up(goal)
    it.until(lambda: server.count('cancel'))
    server.do('cancel', answer='accept')
    it.until(lambda: it.calls.running()[0].cancel_accepted)
    told_to_end_in_vain(it)
    assert not it.leased
    assert it.calls.ends() == [CallState.TIMED_OUT]
    it.until(lambda: server.count('cancel') >= 2)
    assert server.count('cancel') == 2  # it is asked again only now
    speaks_again(it, server)
    look_up_is_unharmed(it, server)
    assert server.count('cancel') == 0  # none was on its way


def test_an_acceptance_after_the_end_is_cancelled_at_the_server(it: Any, server: Any) -> None:
    goal = asked(it, server)
    it.give_up(goal)
    told_to_end_in_vain(it)
    assert not it.leased
    assert it.calls.ends() == [CallState.TIMED_OUT]
    server.do('accept')
    it.until(
        lambda: server.count('cancel') and it.said('/puppet/look_up still runs its last goal')
    )
    server.do('cancel', answer='accept')
    server.do('result', status=CANCELED)
    it.until(lambda: it.said('/puppet/look_up has ended its last goal'))
    assert len(it.calls.ends()) == 1
    look_up_is_unharmed(it, server)


def test_an_overdue_action_is_cancelled_at_the_server(it: Any, server: Any) -> None:
    begun(it, server)
    overdue(it, 'look_up')
    it.until(lambda: server.count('cancel'))
    assert it.leased, 'the server may still move something'
    assert it.state() is CallState.EXPIRED
    server.do('cancel', answer='accept')
    server.do('result', status=CANCELED)
    result = it.result()
    assert result.error_reason == 'No answer from /puppet/look_up within 12 s'
    assert it.calls.ends() == [CallState.TIMED_OUT]
    look_up_is_unharmed(it, server)


def test_a_running_action_is_cancelled_when_the_executive_ends(it: Any, server: Any) -> None:
    begun(it, server)
    it.executive.shut_down()
    server.wait_for('cancel')
    server.do('cancel', answer='accept')
    server.do('result', status=CANCELED)
    while it.executive.drain():
        it.inbox.wait(1.0)
    assert it.calls.ends() == [CallState.CANCELLED]


def test_a_result_after_the_timeout_changes_nothing_but_the_trace(it: Any, server: Any) -> None:
    begun(it, server)
    overdue(it, 'look_up')
    told_to_end_in_vain(it)
    assert it.calls.ends() == [CallState.TIMED_OUT]
    it.until(lambda: it.endings)
    assert [each.ok for each in it.planner.results] == [False]
    before, results = it.context.state, len(it.planner.results)
    server.do('result', status=SUCCEEDED)
    it.until(lambda: it.said('/puppet/look_up answers again'))
    assert it.context.state.skills == before.skills
    assert (len(it.planner.results), len(it.calls.ends())) == (results, 1)
    look_up_is_unharmed(it, server)


def test_a_second_result_changes_nothing(it: Any, server: Any) -> None:
    begun(it, server)
    server.do('result', status=SUCCEEDED)
    server.do('result', status=ABORTED)
    assert it.result().ok
    it.until(lambda: it.endings)
    assert it.calls.ends() == [CallState.SUCCEEDED]
    look_up_is_unharmed(it, server)


def test_a_server_that_knows_nothing_of_the_goal_has_lost_it(it: Any, server: Any) -> None:
    goal = begun(it, server)
    it.give_up(goal)
    it.until(lambda: server.count('cancel'))
    server.do('cancel', answer='unknown')
    it.until(lambda: not it.leased)
    assert it.calls.ends() == [CallState.LOST]
    look_up_is_unharmed(it, server)


@pytest.mark.parametrize(
    'status', [GoalStatus.STATUS_UNKNOWN, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING]
)
def test_a_goal_of_which_its_server_says_no_end_is_told_to_end(
    it: Any, server: Any, status: int
) -> None:
    begun(it, server)
    server.do('result', status=status)
    it.until(it.calls.ends)
    assert it.calls.ends() == [CallState.LOST]
    server.wait_for('cancel')


@pytest.mark.parametrize('knows_it', [False, True])
def test_who_takes_a_dead_servers_place_is_asked_for_its_goal(
    it: Any, puppet: Any, knows_it: bool
) -> None:
    """The graph still knows the dead one, so nothing else tells that the goal is lost."""
    dead = puppet(*LOOK_UP)
    begun(it, dead)
    dead.kill()
    heir = puppet(*LOOK_UP)
    it.until(lambda: heir.count('result'))
    assert not it.calls.ends()
    heir.do('result', status=SUCCEEDED if knows_it else GoalStatus.STATUS_UNKNOWN)
    it.until(it.calls.ends)
    assert it.calls.ends() == [CallState.SUCCEEDED if knows_it else CallState.LOST]
    it.until(lambda: not it.leased)


def test_a_goal_is_not_sent_to_a_server_that_has_not_ended_the_last_one(
    it: Any, puppet: Any
) -> None:
    dead = puppet(*LOOK_UP)
    goal = begun(it, dead)
    dead.kill()  # the graph still knows it
    it.give_up(goal)
    told_to_end_in_vain(it)
    assert it.calls.ends() == [CallState.TIMED_OUT]
    it.ask('look_up', target='map')
    it.until(lambda: it.shows('/puppet/look_up did not end its last goal and does not answer'))
    heir = puppet(*LOOK_UP)
    is_asked_to_cancel_again(it, heir)
    assert heir.count('goal') == 0
    speaks_again(it, heir)
    it.until(lambda: heir.count('goal'))
    accept(it, heir)
    heir.do('result', status=SUCCEEDED)
    assert it.result().ok


@pytest.mark.parametrize('stage', ['before acceptance', 'running', 'cancelling'])
def test_the_death_of_a_server_is_noticed_at_each_stage(it: Any, puppet: Any, stage: str) -> None:
    server = puppet(*LOOK_UP, mortal=True)
    goal = asked(it, server)
    if stage != 'before acceptance':
        accept(it, server)
        running(it, server)
    if stage == 'cancelling':
        it.give_up(goal)
        it.until(lambda: server.count('cancel'))
        server.do('cancel', answer='accept')
        it.tick()
    server.kill()
    assert it.leased
    gone(it, 'look_up')
    assert it.calls.ends() == [CallState.LOST]
    assert not it.leased
    if stage != 'cancelling':
        it.until(lambda: it.planner.results)
        assert it.context.state.skills.last_result.error_code == 'LOST'
        assert it.planner.results[0].error_reason == 'The server of /puppet/look_up has gone'
    heir = puppet(*LOOK_UP)
    is_asked_to_cancel_again(it, heir)
    speaks_again(it, heir)
    look_up_is_unharmed(it, heir)
