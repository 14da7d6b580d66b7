"""What of trace and state can be plotted, and that strangers' messages only cost themselves."""

from __future__ import annotations

from dataclasses import replace
import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import jsonschema
import pytest

from bt_executive.core.state import BrainState, Mode, RobotState, TasksState, state_to_json
from bt_executive.recording.plotted import CHANNELS, SCORE, STATE, TRACE, Plots
from rover_common.trace_event import TraceEvent, event_to_json


def test_a_scored_event_is_a_line_of_the_log_and_a_point_of_the_curve() -> None:
    event = TraceEvent('e', 12.5, 'RESULT', 'score 0.97', tool_name='cap', ok=True, score=0.97)
    told = {channel.topic: values for channel, values in Plots().of_event(event_to_json(event))}
    assert told[SCORE.topic] == {'ts': 12.5, 'score': 0.97}
    assert told[TRACE.topic]['timestamp'] == {'sec': 12, 'nsec': 500_000_000}
    assert told[TRACE.topic]['message'] == 'RESULT score 0.97'


def test_a_state_has_numbers_and_fits_its_schema() -> None:
    robot = RobotState(battery_pct=88.0, battery_at=1.0)
    state = BrainState(robot=robot, tasks=TasksState(mode=Mode.CHARGE))
    ((channel, values),) = Plots().of_state(state_to_json(state))
    assert channel is STATE
    assert (values['mode'], values['mode_number'], values['battery_pct']) == ('CHARGE', 2, 88.0)
    jsonschema.validate(values, channel.schema)


SCORED = TraceEvent('e', 12.5, 'RESULT', 'score 0.97', tool_name='cap', ok=True, score=0.97)


@given(st.lists(st.sampled_from(['one', 'two', 'three']), max_size=20))
def test_each_score_is_one_point_however_often_its_event_comes(ids: list[str]) -> None:
    plots = Plots()
    points = [
        values
        for each in ids
        for channel, values in plots.of_event(event_to_json(replace(SCORED, event_id=each)))
        if channel is SCORE
    ]
    assert len(points) == len(set(ids))


def test_what_repeats_a_score_and_measures_nothing_is_no_point() -> None:
    ended = replace(SCORED, event_id='f', tool_name=None, data={'goal_ended': {}})
    assert [channel for channel, _ in Plots().of_event(event_to_json(ended))] == [TRACE]


def test_a_state_is_plotted_when_it_changes_and_without_what_is_not_known() -> None:
    plots = Plots()
    unknown = state_to_json(BrainState(robot=RobotState(battery_pct=math.nan, battery_at=1.0)))
    ((_, values),) = plots.of_state(unknown)
    assert 'battery_pct' not in values
    assert list(plots.of_state(unknown)) == []
    known = state_to_json(BrainState(robot=RobotState(battery_pct=50.0, battery_at=1.0)))
    ((_, values),) = plots.of_state(known)
    assert values['battery_pct'] == 50.0
    plots.show_state_again()
    assert len(list(plots.of_state(known))) == 1


@pytest.mark.parametrize('read', [Plots().of_event, Plots().of_state])
@pytest.mark.parametrize('text', ['', '[]', 'no json', '"x"'])
def test_what_is_no_message_is_refused(read: Any, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # whatever the reader of JSON says
        list(read(text))


@pytest.mark.parametrize('ts', ['late', None, 1e300])
def test_an_event_without_a_time_is_refused(ts: Any) -> None:
    with pytest.raises(ValueError, match='time ts'):
        list(Plots().of_event(json.dumps({'ts': ts, 'kind': 'ACT'})))


def test_every_channel_has_a_schema_of_an_object() -> None:
    for channel in CHANNELS:
        jsonschema.Draft202012Validator.check_schema(channel.schema)
        assert channel.schema['type'] == 'object'
