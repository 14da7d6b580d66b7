"""Sessions with servers that misbehave, as real processes: the next call is always unharmed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import shutil
from typing import Any

from action_msgs.msg import GoalStatus
import pytest

from bt_executive.config import default_folder, load_config
from bt_executive.kernel.sessions import SessionState
from bt_executive.settings import Config

pytestmark = pytest.mark.ros

LAMP = ('service', '/puppet/lamp', 'std_srvs/srv/SetBool')
LOOK_UP = ('action', '/puppet/look_up', 'tf2_msgs/action/LookupTransform')
SUCCEEDED, CANCELED, ABORTED = (
    GoalStatus.STATUS_SUCCEEDED,
    GoalStatus.STATUS_CANCELED,
    GoalStatus.STATUS_ABORTED,
)
ENTRIES = """
  lamp:
    description: "Switch the lamp."
    interface_type: ros2_service
    endpoint: { name: /puppet/lamp, type: std_srvs/srv/SetBool }
    args_schema: { type: object, properties: { data: { type: boolean } } }
    resources_required: [camera]
    preconditions: []
    preemptible: true
    cancel_supported: false
    timeout_s: 12.0
    idempotent: false
    autonomy: auto
    error_map: {}
    result: { ok: success, reason: message }
  look_up:
    description: "Look a transform up."
    interface_type: ros2_action
    endpoint: { name: /puppet/look_up, type: tf2_msgs/action/LookupTransform }
    args_schema: { type: object, properties: { target: { type: string } } }
    fields: { target: target_frame }
    resources_required: [camera]
    preconditions: []
    preemptible: true
    cancel_supported: true
    timeout_s: 12.0
    idempotent: false
    autonomy: auto
    error_map: { CONNECTIVITY: ABORT }
    result: { reason: error.error_string, code: error.error, codes: { 2: CONNECTIVITY } }
"""


PATIENT = ('executive.sessions.cancel_timeout_s=12.0',)
HASTY = (
    'executive.sessions.cancel_timeout_s=0.8',
    'skills.skills.lamp.timeout_s=2.0',
    'skills.skills.look_up.timeout_s=2.0',
)
hasty = pytest.mark.parametrize('config', [HASTY], indirect=True, ids=['hasty'])


@pytest.fixture
def config(tmp_path: Path, request: pytest.FixtureRequest) -> Config:
    """The shipped configuration with two skills of the puppets'.

    Times are long, because the first request to a server that has just been started may take
    seconds (DDS repeats what was not heard). A test that waits for them to pass is `hasty`.
    """
    folder = tmp_path / 'config'
    shutil.copytree(default_folder(), folder)
    with (folder / 'skills.yaml').open('a', encoding='utf-8') as file:
        file.write(ENTRIES)
    times = getattr(request, 'param', PATIENT)
    soon = ('executive.sessions.cancel_repeat_s=0.2', 'executive.sessions.lost_after_s=0.2')
    return load_config(folder, [*times, *soon, 'guards.server_wait_s=12.0'])


@pytest.fixture
def it(core: Callable[[Config], Any], config: Config) -> Any:
    return core(config)


def accept(it: Any, server: Any) -> None:
    """Until the latest goal is accepted."""
    server.do('accept')
    it.until(lambda: it.state() is SessionState.ACCEPTED)
    server.wait_for('result')


def gone(it: Any, tool: str) -> None:
    """Until the graph has forgotten a killed server; till then requests still go to it."""
    endpoint = it.brain.registry[tool].endpoint
    it.until(lambda: not it.robot.ready(endpoint))


def look_up_is_unharmed(it: Any, server: Any) -> None:
    """A whole call of the action, from goal to result."""
    it.until(lambda: not it.leased)
    server.mark()
    ends = len(it.book.ends())
    it.ask('look_up', target='map')
    it.until(lambda: server.count('goal'))
    accept(it, server)
    server.do('result', status=SUCCEEDED)
    assert it.result().ok
    assert it.book.ends()[ends:] == [SessionState.SUCCEEDED]
    it.until(lambda: it.endings and it.endings[-1]['outcome'] == 'reached')
    it.until(lambda: not it.leased)


def lamp_is_unharmed(it: Any, server: Any) -> None:
    """A whole call of the service."""
    it.until(lambda: not it.leased)
    server.mark()
    ends = len(it.book.ends())
    it.ask('lamp', data=True)
    it.until(lambda: server.count('request'))
    server.do('answer', fields={'success': True, 'message': 'on'})
    result = it.result()
    assert (result.ok, result.data) == (True, {'message': 'on'})
    assert it.book.ends()[ends:] == [SessionState.SUCCEEDED]
    it.until(lambda: not it.leased)


# --- actions -------------------------------------------------------------------------------------


@pytest.fixture
def server(it: Any, puppet: Any) -> Any:
    """The action's server."""
    return puppet(*LOOK_UP)


def test_an_action_runs_from_goal_to_result(it: Any, server: Any) -> None:
    it.ask('look_up', target='map')
    it.until(lambda: server.count('goal'))
    assert server.last('goal')['goal']['target_frame'] == 'map'
    accept(it, server)
    server.do('feedback')
    it.until(lambda: it.state() is SessionState.RUNNING)
    server.do('result', status=SUCCEEDED, fields={'transform': {'child_frame_id': 'map'}})
    result = it.result()
    assert result.ok
    assert result.data['transform']['child_frame_id'] == 'map'
    look_up_is_unharmed(it, server)


def test_a_rejected_goal_fails_the_tool(it: Any, server: Any) -> None:
    it.ask('look_up')
    it.until(lambda: server.count('goal'))
    server.do('reject')
    assert it.result().error_reason == 'The server rejected the goal'
    assert it.book.ends() == [SessionState.REJECTED]
    look_up_is_unharmed(it, server)


def test_an_actions_own_error_code_decides_how_it_goes_on(it: Any, server: Any) -> None:
    it.ask('look_up')
    it.until(lambda: server.count('goal'))
    accept(it, server)
    error = {'error': {'error': 2, 'error_string': 'map and odom are not connected'}}
    server.do('result', status=ABORTED, fields=error)
    it.until(lambda: it.endings)
    assert it.brain.state.skills.last_result.error_code == 'CONNECTIVITY'
    assert it.endings[0]['answer'] == 'map and odom are not connected'
    look_up_is_unharmed(it, server)


def test_cancel_before_acceptance_is_sent_with_the_acceptance(it: Any, server: Any) -> None:
    goal = it.ask('look_up')
    it.until(lambda: server.count('goal'))
    it.give_up(goal)
    it.until(lambda: it.state() is SessionState.CANCEL_WANTED)
    assert it.leased
    assert server.count('cancel') == 0
    server.do('accept')
    it.until(lambda: server.count('cancel'))
    assert it.leased
    server.do('cancel', answer='accept')
    server.wait_for('result')
    server.do('result', status=CANCELED)
    it.until(lambda: not it.leased)
    assert it.book.ends() == [SessionState.CANCELLED]
    look_up_is_unharmed(it, server)


def test_cancel_before_a_rejection_needs_nothing_more(it: Any, server: Any) -> None:
    goal = it.ask('look_up')
    it.until(lambda: server.count('goal'))
    it.give_up(goal)
    server.do('reject')
    it.until(lambda: not it.leased)
    assert it.book.ends() == [SessionState.CANCELLED]
    look_up_is_unharmed(it, server)


def test_a_refused_cancel_is_repeated_and_the_lease_waits_for_the_result(
    it: Any, server: Any
) -> None:
    goal = it.ask('look_up')
    it.until(lambda: server.count('goal'))
    accept(it, server)
    it.give_up(goal)
    for times in (1, 2):
        it.until(lambda times=times: server.count('cancel') >= times)
        server.do('cancel', answer='refuse')
        assert it.leased
    server.do('result', status=SUCCEEDED)
    it.until(lambda: not it.leased)
    assert it.book.ends() == [SessionState.SUCCEEDED]
    look_up_is_unharmed(it, server)


@hasty
def test_an_accepted_cancel_is_not_repeated(it: Any, server: Any) -> None:
    goal = it.ask('look_up')
    it.until(lambda: server.count('goal'))
    accept(it, server)
    it.give_up(goal)
    it.until(lambda: server.count('cancel'))
    server.do('cancel', answer='accept')
    it.until(lambda: not it.leased)  # it never says more: the time for its last word is over
    assert server.count('cancel') == 1
    assert it.book.ends() == [SessionState.TIMED_OUT]
    look_up_is_unharmed(it, server)


@hasty
def test_an_acceptance_after_the_end_is_cancelled_at_the_server(it: Any, server: Any) -> None:
    goal = it.ask('look_up')
    it.until(lambda: server.count('goal'))
    it.give_up(goal)
    it.until(lambda: not it.leased)
    assert it.book.ends() == [SessionState.TIMED_OUT]
    server.do('accept')
    it.until(lambda: server.count('cancel') and it.said('Late answer dropped'))
    assert len(it.book.ends()) == 1
    look_up_is_unharmed(it, server)


@hasty
def test_an_overdue_action_is_cancelled_at_the_server(it: Any, server: Any) -> None:
    it.ask('look_up')
    it.until(lambda: server.count('goal'))
    accept(it, server)
    it.until(lambda: server.count('cancel'))
    assert it.leased, 'the server may still move something'
    assert it.state() is SessionState.EXPIRED
    server.do('cancel', answer='accept')
    server.do('result', status=CANCELED)
    result = it.result()
    assert result.error_reason == 'No answer from /puppet/look_up within 2 s'
    assert it.book.ends() == [SessionState.TIMED_OUT]
    look_up_is_unharmed(it, server)


def test_a_running_action_is_cancelled_when_the_executive_ends(it: Any, server: Any) -> None:
    it.ask('look_up')
    it.until(lambda: server.count('goal'))
    accept(it, server)
    it.executive.shut_down()
    server.wait_for('cancel')
    server.do('cancel', answer='accept')
    server.do('result', status=CANCELED)
    while it.executive.take_last_answers():
        it.inbox.wait(1.0)
    assert it.book.ends() == [SessionState.CANCELLED]


@hasty
def test_a_result_after_the_timeout_changes_nothing_but_the_trace(it: Any, server: Any) -> None:
    it.ask('look_up')
    it.until(lambda: server.count('goal'))
    accept(it, server)
    assert not it.result().ok
    assert it.book.ends() == [SessionState.TIMED_OUT]
    it.until(lambda: it.endings)
    before, results = it.brain.state, len(it.planner.results)
    server.do('result', status=SUCCEEDED)
    it.until(lambda: it.said('Late answer dropped'))
    assert it.brain.state.skills == before.skills
    assert (len(it.planner.results), len(it.book.ends())) == (results, 1)
    look_up_is_unharmed(it, server)


def test_a_second_result_changes_nothing(it: Any, server: Any) -> None:
    it.ask('look_up')
    it.until(lambda: server.count('goal'))
    accept(it, server)
    server.do('result', status=SUCCEEDED)
    server.do('result', status=ABORTED)
    assert it.result().ok
    it.until(lambda: it.endings)
    assert it.book.ends() == [SessionState.SUCCEEDED]
    look_up_is_unharmed(it, server)


def test_a_server_that_knows_nothing_of_the_goal_has_lost_it(it: Any, server: Any) -> None:
    goal = it.ask('look_up')
    it.until(lambda: server.count('goal'))
    accept(it, server)
    it.give_up(goal)
    it.until(lambda: server.count('cancel'))
    server.do('cancel', answer='unknown')
    it.until(lambda: not it.leased)
    assert it.book.ends() == [SessionState.LOST]
    look_up_is_unharmed(it, server)


@pytest.mark.parametrize('stage', ['before acceptance', 'running', 'cancelling'])
def test_the_death_of_a_server_is_noticed_at_each_stage(
    it: Any, server: Any, puppet: Any, stage: str
) -> None:
    goal = it.ask('look_up')
    it.until(lambda: server.count('goal'))
    if stage != 'before acceptance':
        accept(it, server)
        server.do('feedback')
        it.until(lambda: it.state() is SessionState.RUNNING)
    if stage == 'cancelling':
        it.give_up(goal)
        it.until(lambda: server.count('cancel'))
        server.do('cancel', answer='accept')
        it.tick()
    server.kill()
    assert it.leased
    it.until(lambda: it.book.ends())
    assert it.book.ends() == [SessionState.LOST]
    it.until(lambda: not it.leased)
    if stage != 'cancelling':
        it.until(lambda: it.planner.results)
        assert it.brain.state.skills.last_result.error_code == 'LOST'
        assert it.planner.results[0].error_reason == 'The server of /puppet/look_up has gone'
    gone(it, 'look_up')
    look_up_is_unharmed(it, puppet(*LOOK_UP))


# --- services ------------------------------------------------------------------------------------


@pytest.fixture
def lamp(it: Any, puppet: Any) -> Any:
    """The service's server."""
    return puppet(*LAMP)


@hasty
def test_a_service_that_never_answers_times_out(it: Any, lamp: Any) -> None:
    it.ask('lamp', data=True)
    it.until(lambda: lamp.count('request'))
    assert it.leased
    assert it.result().error_reason == 'No answer from /puppet/lamp within 2 s'
    assert it.book.ends() == [SessionState.TIMED_OUT]
    lamp_is_unharmed(it, lamp)


@hasty
def test_a_service_that_answers_late_changes_nothing_but_the_trace(it: Any, lamp: Any) -> None:
    it.ask('lamp', data=True)
    it.until(lambda: lamp.count('request'))
    assert not it.result().ok
    it.until(lambda: it.endings)
    lamp.do('answer', fields={'success': True, 'message': 'late'})
    it.until(lambda: it.said('Late answer dropped'))
    assert len(it.planner.results) == 1
    lamp_is_unharmed(it, lamp)


def test_a_preempted_service_keeps_its_lease_until_it_answers(it: Any, lamp: Any) -> None:
    goal = it.ask('lamp', data=True)
    it.until(lambda: lamp.count('request'))
    it.give_up(goal)
    it.until(lambda: it.endings)
    assert it.leased
    assert it.state() is SessionState.CANCELLING
    lamp.do('answer', fields={'success': True})
    it.until(lambda: not it.leased)
    assert it.book.ends() == [SessionState.SUCCEEDED]
    assert not it.planner.results
    lamp_is_unharmed(it, lamp)


def test_a_second_answer_of_a_service_changes_nothing(it: Any, lamp: Any) -> None:
    it.ask('lamp', data=True)
    it.until(lambda: lamp.count('request'))
    lamp.do('answer', fields={'success': True, 'message': 'on'})
    lamp.do('answer', fields={'success': False, 'message': 'off'})
    assert it.result().ok
    it.until(lambda: it.endings)
    lamp_is_unharmed(it, lamp)


@pytest.mark.parametrize('preempted', [False, True])
def test_the_death_of_a_service_is_noticed(
    it: Any, lamp: Any, puppet: Any, preempted: bool
) -> None:
    goal = it.ask('lamp', data=True)
    it.until(lambda: lamp.count('request'))
    if preempted:
        it.give_up(goal)
    lamp.kill()
    assert it.leased
    it.until(lambda: it.book.ends())
    assert it.book.ends() == [SessionState.LOST]
    it.until(lambda: not it.leased)
    gone(it, 'lamp')
    lamp_is_unharmed(it, puppet(*LAMP))
