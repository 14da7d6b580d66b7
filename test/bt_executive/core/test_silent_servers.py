"""Servers that did not end a goal: entered by the table of calls, heard by any answer."""

from __future__ import annotations

import pytest

from bt_executive.core.call_states import CallInput
from bt_executive.core.call_table import CallTable
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint

ACTION = Endpoint(name='/drive', type='any/action/Drive', kind='action')
OTHER = Endpoint(name='/dig', type='any/action/Dig', kind='action')
SERVICE = Endpoint(name='/lamp', type='any/srv/Lamp', kind='service')


@pytest.fixture
def book() -> CallTable:
    return CallTable()


def given_up(book: CallTable, endpoint: Endpoint = ACTION) -> str:
    """A call that was sent, told to end, and given up."""
    call = book.open(
        'call', endpoint.name, Now.at(100.0), 30.0, endpoint, endpoint is not SERVICE, run_id='run'
    )
    book.sent(call.server_call_id)
    book.cancel(call.server_call_id, Now.at(101.0), within_s=5.0)
    book.expire(call.server_call_id, Now.at(106.0), 5.0, 'told to end and did not')
    return call.server_call_id


def test_a_server_that_did_not_end_a_goal_is_silent_until_it_answers(book: CallTable) -> None:
    call = given_up(book)
    (silent,) = book.silent.all()
    assert (silent.endpoint, silent.server_call_id, silent.requested_at) == (ACTION, call, None)
    assert silent.goal_id
    assert book.silent.get(ACTION) == silent
    assert book.silent.get(OTHER) is None
    assert book.silent.pop_answered('another') is None
    assert book.silent.pop_answered(call) == silent
    assert book.silent.pop_answered(call) is None
    assert not book.silent.all()


def test_the_latest_goal_is_asked_for(book: CallTable) -> None:
    first, second = given_up(book), given_up(book)
    assert [each.server_call_id for each in book.silent.all()] == [second]
    assert book.silent.pop_answered(first) is None


def test_each_action_has_a_server_of_its_own(book: CallTable) -> None:
    drive, dig = given_up(book), given_up(book, OTHER)
    assert book.silent.pop_answered(drive) is not None
    assert [each.server_call_id for each in book.silent.all()] == [dig]


def test_it_is_noted_when_it_was_asked(book: CallTable) -> None:
    given_up(book)
    (silent,) = book.silent.all()
    book.silent.note_request(silent, 107.0)
    assert [each.requested_at for each in book.silent.all()] == [107.0]


@pytest.mark.parametrize('happened', [CallInput.LOSE, CallInput.CANCELLED])
def test_a_server_that_has_gone_or_has_ended_its_goal_is_not_silent(
    book: CallTable, happened: CallInput
) -> None:
    call = book.open('call', '/drive', Now.at(0.0), 30.0, ACTION, True, run_id='run')
    for each in (CallInput.SEND, CallInput.ACCEPT, CallInput.CANCEL, happened):
        book.apply(call.server_call_id, each)
    assert not book.silent.all()


def test_a_service_is_never_silent(book: CallTable) -> None:
    given_up(book, SERVICE)
    assert not book.silent.all()


def test_nobody_is_asked_for_a_goal_without_a_number(book: CallTable) -> None:
    call = book.open('call', '/drive', Now.at(0.0), 30.0, ACTION, True)
    book.sent(call.server_call_id)
    book.cancel(call.server_call_id, Now.at(1.0), within_s=5.0)
    book.expire(call.server_call_id, Now.at(6.0), 5.0, 'told to end and did not')
    assert not book.silent.all()
