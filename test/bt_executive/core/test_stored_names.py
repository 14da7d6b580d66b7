"""Recorded runs have names of inputs and fields that the code must go on to write and to read."""

from __future__ import annotations

from bt_executive.core.call_states import CallInput
from bt_executive.core.call_table import CallTable
from bt_executive.core.inputs import ServerCallUpdate, StopRequested
from bt_executive.core.stored_names import INPUTS, fields_in_code, stored_fields, stored_name
from rover_common.clocks import Now

RECORDED = """
ApprovalGiven BatterySeen GoalCancelled GoalReceived MemorySeen ParametersSet PauseRequested
PoseSeen ReadinessSeen ResetRequested ResumeRequested SafetyEvent SessionAnswer StatusSeen
StopRequested TopicSeen ZonesSeen
"""


def test_inputs_keep_the_names_of_recorded_runs() -> None:
    assert sorted(INPUTS) == RECORDED.split()


def test_a_server_call_keeps_its_fields() -> None:
    update = ServerCallUpdate('call-1.2', CallInput.ACCEPT, {'left_m': 3.0})
    stored = {'session_id': 'call-1.2', 'happened': CallInput.ACCEPT, 'fields': {'left_m': 3.0}}
    assert (stored_name(update), stored_fields(update)) == (
        'SessionAnswer',
        {**stored, 'reason': ''},
    )
    assert ServerCallUpdate(**fields_in_code(ServerCallUpdate, stored_fields(update))) == update
    call = CallTable().open('call-1', '/capture', Now.at(1.0), 10.0)
    assert stored_fields(call)['session_id'] == 'call-1.1'
    assert type(call)(**fields_in_code(type(call), stored_fields(call))) == call


def test_a_function_is_not_stored_and_what_is_no_object_stays() -> None:
    assert stored_fields(StopRequested('the operator')) == {'source': 'the operator'}
    assert fields_in_code(ServerCallUpdate, 3) == 3
