"""What of trace and state can be plotted, and that strangers' messages only cost themselves."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from bt_executive.core.state import BrainState, Mode, RobotState, TasksState, state_to_json
from bt_executive.recording.plotted import CHANNELS, SCORE, STATE, TRACE, of_event, of_state
from rover_common.trace_event import TraceEvent, event_to_json


def test_a_scored_event_is_a_line_of_the_log_and_a_point_of_the_curve() -> None:
    event = TraceEvent('e', 12.5, 'RESULT', 'score 0.97', tool_name='cap', ok=True, score=0.97)
    told = {channel.topic: values for channel, values in of_event(event_to_json(event))}
    assert told[SCORE.topic] == {'ts': 12.5, 'score': 0.97}
    assert told[TRACE.topic]['timestamp'] == {'sec': 12, 'nsec': 500_000_000}
    assert told[TRACE.topic]['message'] == 'RESULT score 0.97'


def test_a_state_has_numbers_and_fits_its_schema() -> None:
    state = BrainState(robot=RobotState(battery_pct=88.0), tasks=TasksState(mode=Mode.CHARGE))
    ((channel, values),) = of_state(state_to_json(state))
    assert channel is STATE
    assert (values['mode'], values['mode_number'], values['battery_pct']) == ('CHARGE', 2, 88.0)
    jsonschema.validate(values, channel.schema)


@pytest.mark.parametrize('read', [of_event, of_state])
@pytest.mark.parametrize('text', ['', '[]', 'no json', '"x"'])
def test_what_is_no_message_is_refused(read: Any, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # whatever the reader of JSON says
        list(read(text))


@pytest.mark.parametrize('ts', ['late', None, 1e300])
def test_an_event_without_a_time_is_refused(ts: Any) -> None:
    with pytest.raises(ValueError, match='time ts'):
        list(of_event(json.dumps({'ts': ts, 'kind': 'ACT'})))


def test_every_channel_has_a_schema_of_an_object() -> None:
    for channel in CHANNELS:
        jsonschema.Draft202012Validator.check_schema(channel.schema)
        assert channel.schema['type'] == 'object'
