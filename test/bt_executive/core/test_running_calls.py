"""What the state says of running skills and busy resources."""

from __future__ import annotations

from bt_executive.core.call_states import CallInput
from bt_executive.core.call_table import CallTable, with_running_calls
from bt_executive.core.state import BrainState, state_from_json, state_to_json
from rover_common.clocks import Now

RESOURCES = ('base', 'mast')


def test_the_state_shows_what_the_book_has() -> None:
    calls = CallTable()
    calls.leases.acquire('call-1', ['mast'])
    call = calls.open('call-1', '/adapter/mast_open', Now.at(100.0), 10.0, skill='mast_open')
    calls.sent(call.server_call_id)
    state = with_running_calls(BrainState(), calls, RESOURCES)
    (running,) = state.skills.running
    assert (running.skill_name, running.resources_occupied) == ('mast_open', ('mast',))
    assert state.robot.resources == {'base_busy': False, 'mast_busy': True}
    assert state_from_json(state_to_json(state)) == state
    assert with_running_calls(state, calls, RESOURCES) is state, 'nothing has changed'
    calls.apply(call.server_call_id, CallInput.SUCCEED, {})
    calls.finish_call('call-1')
    calls.clear_finished()
    after = with_running_calls(state, calls, RESOURCES)
    assert after.skills.running == ()
    assert not after.robot.resources['mast_busy']
