"""Calls to services that misbehave: the next call is always unharmed."""

from __future__ import annotations

from typing import Any

from puppet_skills import LAMP, gone, overdue
import pytest

from bt_executive.core.call_states import CallState
from bt_executive.ros.robot_calls import REPLACED

pytestmark = pytest.mark.ros


def asked(it: Any, lamp: Any) -> str:
    """Until the server has the request; returns the executive's goal."""
    goal: str = it.ask('lamp', data=True)
    it.until(lambda: lamp.count('request'))
    return goal


def lamp_is_unharmed(it: Any, server: Any) -> None:
    """A whole call of the service."""
    it.until(lambda: not it.leased)
    server.mark()
    ends = len(it.calls.ends())
    asked(it, server)
    server.do('answer', fields={'success': True, 'message': 'on'})
    result = it.result()
    assert (result.ok, result.data) == (True, {'message': 'on'})
    assert it.calls.ends()[ends:] == [CallState.SUCCEEDED]
    it.until(lambda: not it.leased)


@pytest.fixture
def lamp(kept_puppet: Any) -> Any:
    """The service's server."""
    return kept_puppet(*LAMP)


def test_a_service_that_never_answers_times_out(it: Any, lamp: Any) -> None:
    asked(it, lamp)
    assert it.leased
    overdue(it, 'lamp')
    assert it.planner.results[0].error_reason == 'No answer from /puppet/lamp within 12 s'
    assert it.calls.ends() == [CallState.TIMED_OUT]
    lamp_is_unharmed(it, lamp)


def test_a_service_that_answers_late_changes_nothing_but_the_trace(it: Any, lamp: Any) -> None:
    asked(it, lamp)
    overdue(it, 'lamp')
    it.until(lambda: it.endings)
    assert not it.planner.results[0].ok
    lamp.do('answer', fields={'success': True, 'message': 'late'})
    it.until(lambda: it.said('Late answer dropped'))
    assert len(it.planner.results) == 1
    lamp_is_unharmed(it, lamp)


def test_a_preempted_service_keeps_its_lease_until_it_answers(it: Any, lamp: Any) -> None:
    goal = asked(it, lamp)
    it.give_up(goal)
    it.until(lambda: it.endings)
    assert it.leased
    assert it.state() is CallState.CANCELLING
    lamp.do('answer', fields={'success': True})
    it.until(lambda: not it.leased)
    assert it.calls.ends() == [CallState.SUCCEEDED]
    assert not it.planner.results
    lamp_is_unharmed(it, lamp)


def test_a_second_answer_of_a_service_changes_nothing(it: Any, lamp: Any) -> None:
    asked(it, lamp)
    lamp.do('answer', fields={'success': True, 'message': 'on'})
    lamp.do('answer', fields={'success': False, 'message': 'off'})
    assert it.result().ok
    it.until(lambda: it.endings)
    lamp_is_unharmed(it, lamp)


@pytest.mark.parametrize('preempted', [False, True])
def test_the_death_of_a_service_is_noticed(it: Any, puppet: Any, preempted: bool) -> None:
    lamp = puppet(*LAMP, mortal=True)
    goal = asked(it, lamp)
    if preempted:
        it.give_up(goal)
    lamp.kill()
    assert it.leased
    gone(it, 'lamp')
    assert it.calls.ends() == [CallState.LOST]
    assert not it.leased
    lamp_is_unharmed(it, puppet(*LAMP))


@pytest.mark.parametrize('killed', [True, False])
def test_a_call_is_lost_when_another_process_takes_the_servers_place(
    it: Any, puppet: Any, killed: bool
) -> None:
    """The graph knows a server all the time: the dead one, the new one, or both."""
    lamp = puppet(*LAMP)
    asked(it, lamp)
    heir = puppet(*LAMP)
    lamp.kill() if killed else lamp.close()
    it.until(it.calls.ends)
    assert it.calls.ends() == [CallState.LOST]
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == REPLACED
    assert not heir.count('request'), 'nothing is sent again'
    lamp_is_unharmed(it, heir)
