"""What the state says of running skills and busy resources."""

from __future__ import annotations

from bt_executive.core.call_table import SessionBook
from bt_executive.core.calls import SessionInput
from bt_executive.core.running import show_running
from bt_executive.core.state import BrainState, state_from_json, state_to_json
from rover_common.clocks import Now

RESOURCES = ('base', 'mast')


def test_the_state_shows_what_the_book_has() -> None:
    book = SessionBook()
    book.leases.take('call-1', ['mast'])
    session = book.open('call-1', '/adapter/mast_open', Now.at(100.0), 10.0, skill='mast_open')
    book.sent(session.session_id)
    state = show_running(BrainState(), book, RESOURCES)
    (running,) = state.skills.running
    assert (running.skill_name, running.resources_occupied) == ('mast_open', ('mast',))
    assert state.robot.resources == {'base_busy': False, 'mast_busy': True}
    assert state_from_json(state_to_json(state)) == state
    assert show_running(state, book, RESOURCES) is state, 'nothing has changed'
    book.apply(session.session_id, SessionInput.SUCCEED, {})
    book.finish_call('call-1')
    book.clear_finished()
    after = show_running(state, book, RESOURCES)
    assert after.skills.running == ()
    assert not after.robot.resources['mast_busy']
