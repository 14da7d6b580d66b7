from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
import pytest

from bt_executive.planner.offline.beliefs import Capture, Pose, angle, form
from bt_executive.planner.offline.experience import Step, recall
from bt_executive.planner.offline.toolbox import Toolbox
from bt_executive.planner.offline.uphill import bearing, score_per_metre


def step(tool, ok=True, reason='', data=None, **arguments) -> Step:
    return Step(tool, arguments, ok, reason, data or {})


def status(x, y, yaw, **more) -> Step:
    return step('get_status', data={'rover_x': x, 'rover_y': y, 'rover_yaw': yaw, **more})


def picture(score, **stats) -> Step:
    return step('capture_and_score', data={'score': score, 'is_good': False, 'stats': stats})


def test_a_conversation_is_recalled_with_its_results():
    call = {'name': 'turn_left', 'args': {'duration_s': 2}, 'id': '1'}
    silent = {'name': 'get_status', 'args': {}, 'id': '2'}
    experience = recall(
        [
            SystemMessage('Be a rover.'),
            HumanMessage('turn'),
            AIMessage('', tool_calls=[call, silent]),
            ToolMessage('{"ok":false,"error_reason":"Need to close mast"}', tool_call_id='1'),
            ToolMessage('{"ok":true}', tool_call_id='unknown'),
        ]
    )
    assert experience.goal == 'turn'
    assert experience.steps == (Step('turn_left', {'duration_s': 2}, False, 'Need to close mast'),)


@pytest.mark.parametrize('content', ['no JSON', '[1]', '{"data":1}', '{"ok":"yes"}', ''])
def test_a_result_of_another_form_is_a_failure(content):
    call = {'name': 'mast_open', 'args': {}, 'id': '1'}
    messages = [AIMessage('', tool_calls=[call]), ToolMessage(content, tool_call_id='1')]
    assert not recall(messages).steps[0].ok


def test_refusals_teach_rules_and_the_state_of_the_mast():
    beliefs = form([step('move_nudge', ok=False, reason='Need to close mast')])
    assert beliefs.close_before_moving
    assert beliefs.mast_closed is False
    beliefs = form([step('capture_and_score', ok=False, reason='Mast is closed')])
    assert beliefs.open_before_looking
    assert beliefs.mast_closed is True


def test_a_status_that_forbids_moving_teaches_the_same():
    beliefs = form([status(0, 0, 0, mast_is_open=True, move_allowed=False)])
    assert beliefs.close_before_moving
    assert not form([status(0, 0, 0, mast_is_open=None, move_allowed=True)]).close_before_moving


def test_failures_are_counted_in_a_row():
    failed = step('mast_open', ok=False, reason='No.')
    assert form([failed, failed]).failures['mast_open'] == 2
    assert 'mast_open' not in form([failed, failed, step('mast_open')]).failures


def test_a_picture_knows_its_place_from_itself_or_from_a_status_beside_it():
    assert form([picture(0.1, rover_x=1.0, rover_y=2.0, rover_yaw=0.5)]).captures[0].pose == Pose(
        1.0, 2.0, 0.5
    )
    assert form([status(1, 2, 0), picture(0.1)]).captures[0].pose == Pose(1, 2, 0)
    assert form([picture(0.1), status(1, 2, 0)]).captures[0].pose == Pose(1, 2, 0)
    moved = form([picture(0.1), step('move_nudge'), status(1, 2, 0)])
    assert moved.captures[0].pose is None
    assert moved.pose_is_current


def test_the_rate_of_a_turn_is_measured():
    beliefs = form([status(0, 0, 3.0), step('turn_left', duration_s=20), status(0, 0, -2.8)])
    assert beliefs.turn_rate == pytest.approx((2 * math.pi - 5.8) / 20)
    blurred = [status(0, 0, 0), step('turn_left'), status(0, 0, 0.5)]
    assert form(blurred).turn_rate is None


def test_a_rotation_is_judged_by_the_pictures_around_it():
    turned, moved = step('mast_rotate'), step('move_nudge')
    assert form([picture(0.2)]).rotation_promises
    assert not form([picture(0.2), turned, picture(0.2), moved, picture(0.4)]).rotation_promises
    helped = [picture(0.2), turned, picture(0.4)]
    assert not form(helped).rotation_promises  # not twice at one place
    assert form([*helped, moved, picture(0.5)]).rotation_promises
    assert form([picture(0.2), turned, moved, picture(0.4)]).rotation_promises  # says nothing


@pytest.mark.parametrize('score', [None, 'high', float('nan'), True, [1]])
def test_a_score_that_is_no_number_is_dark(score):
    assert form([step('capture_and_score', data={'score': score})]).captures[0].score == 0.0


@given(st.floats(-1000, 1000))
def test_angles_stay_within_half_a_turn(radians):
    assert -math.pi < angle(radians) <= math.pi + 1e-9
    assert math.cos(angle(radians)) == pytest.approx(math.cos(radians), abs=1e-6)


@given(st.floats(-3.1, 3.1), st.floats(-100, 100), st.floats(0.005, 0.2))
def test_the_way_uphill_is_found_from_three_places(direction, offset, slope):
    places = [(0.0, 0.0), (2.4, 0.0), (5.0, 4.0), (1.0, 6.0)]
    captures = [
        Capture(
            offset + slope * (x * math.cos(direction) + y * math.sin(direction)),
            False,
            {},
            pose=Pose(x, y, 0.0),
        )
        for x, y in places
    ]
    found = bearing(captures)
    assert found is not None
    assert angle(found - direction) == pytest.approx(0.0, abs=1e-3)


def test_there_is_no_way_uphill_on_a_line_or_on_the_flat():
    line = [Capture(0.1 * x, False, {}, pose=Pose(x, 0.0, 0.0)) for x in range(4)]
    flat = [Capture(0.1, False, {}, pose=Pose(x, x * x, 0.0)) for x in range(4)]
    assert bearing(line) is None
    assert bearing(flat) is None
    assert bearing(line[:2]) is None
    assert score_per_metre([line[0], line[2]]) == pytest.approx(0.1)
    assert score_per_metre(line[:1]) is None


def test_a_toolbox_keeps_drives_within_the_schema():
    schema = {'properties': {'duration_s': {'minimum': 2, 'maximum': 25}}}
    tools = Toolbox({'turn_left': schema, 'move_nudge': {}})
    assert tools.timed('turn_left', 100.0) == {'duration_s': 25.0}
    assert tools.timed('turn_left', 0.1) == {'duration_s': 2.0}
    assert tools.timed('move_nudge', 5.0) == {}
    assert tools.first('fly', 'move_nudge') == 'move_nudge'
    assert tools.first('fly') is None
