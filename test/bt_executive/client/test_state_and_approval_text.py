"""State and requests for approval as people read them, and how answers to requests are typed."""

from __future__ import annotations

from dataclasses import replace
import json
from typing import Any

from console_views import DRIVING_STATE, GOAL, SAFE_STATE
import pytest

from bt_executive.client.front_end_requests import ApprovalAnswer, ServiceRequest
from bt_executive.client.state_and_approval_text import (
    format_model_usage,
    format_motion,
    format_parts,
    format_pose,
    format_requests,
    format_state,
    format_status,
)
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState, Decision, RunningSkill, SkillsState
from rover_common.config.load import load_config
from rover_common.errors import UsageError


def test_the_whole_state_one_fact_per_line() -> None:
    state = replace(
        DRIVING_STATE,
        skills=SkillsState(running=(RunningSkill('one', 'mast_close', 0.0, 5.0),)),
    )
    assert format_state(state, 142.0).splitlines() == [
        'mode     EXEC',
        f'goal     {GOAL}',
        'progress step 0, 42 s',
        'waiting  take a picture of the big rock',
        'running  mast_close',
        'robot    mast open, stands, x 0.0 m, y 0.0 m, 0°',
        'battery  87 %',
    ]


@pytest.mark.parametrize(
    ('told_at', 'words'),
    [
        (141.5, '0.67'),
        (129.0, '0.67 (13 s ago)'),
        (900.0, '0.67 (before the clock was set back)'),
        (None, '0.67'),
    ],
)
def test_a_score_has_its_age_once_it_is_old(told_at: float | None, words: str) -> None:
    world = replace(DRIVING_STATE.world, last_score=0.67, last_score_ts=told_at)
    assert (
        f'score    {words}'
        in format_state(replace(DRIVING_STATE, world=world), 142.0).splitlines()
    )


@pytest.mark.parametrize(
    ('use', 'words'),
    [
        ({}, ''),
        ({'calls': 0, 'input_tokens': 0}, ''),
        ({'calls': 1}, '1 call'),
        ({'calls': 14, 'input_tokens': 0, 'output_tokens': 0, 'cost_usd': 0.0}, '14 calls'),
        (
            {'calls': 3, 'input_tokens': 3600, 'output_tokens': 100, 'cost_usd': 0.0123},
            '3 calls, 3600 + 100 tokens, 0.0123 USD',
        ),
    ],
)
def test_what_the_model_cost(use: Any, words: str) -> None:
    assert format_model_usage(use) == words


def test_why_a_goal_is_held_back_stands_with_the_mode() -> None:
    assert format_state(SAFE_STATE, 0.0).startswith('mode     SAFE: safety event: cliff ahead\n')


def test_what_is_not_known_is_reported_as_such() -> None:
    robot = RobotState(parts={'mast': None, 'mast_is_open': None})
    words = format_state(BrainState(robot=robot), 0.0)
    for unknown in ('goal     none', 'place unknown', 'mast unknown', 'battery  unknown'):
        assert unknown in words


def test_what_is_old_is_shown_with_its_age_and_what_is_current_without() -> None:
    robot = replace(DRIVING_STATE.robot, ages={'pose': 8.2, 'battery': 75.0})
    words = format_state(replace(DRIVING_STATE, robot=robot), 142.0)
    assert 'mast open, stands, x 0.0 m, y 0.0 m, 0° (8 s ago)\n' in words
    assert words.endswith('battery  87 % (1 min 15 s ago)')
    silent = replace(robot, ages={'status': 4.0})
    words = format_state(replace(DRIVING_STATE, robot=silent), 142.0)
    assert 'mast open (4 s ago), stands (4 s ago), x 0.0 m' in words


def test_the_latest_decision_and_score() -> None:
    state = replace(DRIVING_STATE, react=replace(DRIVING_STATE.react, decision=Decision()))
    state = replace(state, world=replace(state.world, last_score=0.476))
    assert 'decided  CONTINUE\n' in format_state(state, 0.0)
    assert 'score    0.48\n' in format_state(state, 0.0)


def test_a_stale_charge_is_reported_as_such() -> None:
    robot = RobotState(battery_pct=42.0, battery_at=1.0, battery_stale=True)
    assert 'battery  42 %, stale' in format_state(BrainState(robot=robot), 0.0)


@pytest.mark.parametrize(
    ('moving', 'at_rest', 'words'),
    [
        (True, False, 'drives'),
        (False, True, 'stands'),
        (False, False, 'may still move'),  # a stop without an answer, or it rolls
        (None, None, 'motion unknown'),
    ],
)
def test_motion(moving: bool | None, at_rest: bool | None, words: str) -> None:
    assert format_motion(RobotState(moving=moving, at_rest=at_rest)) == words


def test_a_heading_that_is_no_number_breaks_nothing() -> None:
    assert format_pose(RobotState(pose=Pose(yaw=float('nan')), pose_at=1.0)).endswith('0°')


def test_the_parts_of_any_robot_and_details_of_them_are_left_out() -> None:
    robot = RobotState(
        parts={'gripper': 'open', 'gripper_is_open': True, 'load_kg': 1.5, 'lit': False}
    )
    assert format_parts(robot) == ['gripper open', 'load kg 1.5', 'not lit']


def test_the_adapters_status_is_short_and_loses_no_fact_that_people_read() -> None:
    sender = f'20261127-220900.{"ab" * 16}'
    status = {
        'life': sender,
        'mast': 'open',
        'mast_is_open': True,
        'motion': None,
        'mast_command': None,
        'standing_unknown': None,
        'last_error_reason': '',
        'permit': {'sender': sender, 'number': 3},
        'heartbeat': {'sender': sender, 'sequence': 412},
        'rover_x': 1.25,
        'rover_stamp': 1795853094.0,
        'mast_moves': False,
        'exclusion': {'zones': 0, 'margin_m': 0.0},
        'battery_pct': 89.5,
        'joints': {'mast_p_joint': 0.1, 'mast_02_joint': None},
        'limits': {f'limit_{number}': 1.0 for number in range(9)},
    }
    lines = format_status(json.dumps(status), {}).splitlines()
    assert len(lines) <= len(status) / 4
    facts = ', '.join(lines).split(', ')
    assert 'mast open' in facts
    assert 'battery 89.5 %' in facts
    assert 'mast does not move' in facts
    assert not any('1795853094' in each or 'mast is' in each for each in facts)
    assert lines[-1] == (
        'none or not known: motion, mast command, standing unknown, last error reason, exclusion'
    )
    assert sender not in ''.join(lines)


@pytest.mark.parametrize(
    ('motion', 'gate', 'words'),
    [
        ('turn_left', '', 'permitted motion turn_left'),
        ('grasp', 'arm', 'permitted motion grasp at the gate arm'),
        ('', '', 'none or not known: permitted motion'),
    ],
)
def test_what_is_permitted_is_reported_without_the_numbers_of_programs(
    motion: str, gate: str, words: str
) -> None:
    permit = {'motion': motion, 'number': 4 if motion else 0, 'gate': gate, 'goal': ''}
    assert format_status(json.dumps({'permit': permit}), {}) == words


@pytest.mark.parametrize('text', ['', 'no json', '[1]'])
def test_a_status_that_is_no_object_stays_as_it_is(text: str) -> None:
    assert format_status(text, {}) == text


ID = 'ask-0a1b2c-1'


@pytest.fixture(scope='module')
def vocabulary() -> Vocabulary:
    return Vocabulary(load_config())


@pytest.mark.parametrize(
    ('line', 'meaning'),
    [
        (':pending', ServiceRequest('pending')),
        (':approve', ApprovalAnswer('approve')),
        (f':approve {ID}', ApprovalAnswer('approve', ID)),
        (f'：approve　{ID}', ApprovalAnswer('approve', ID)),
        (':edit {"duration_s": 2}', ApprovalAnswer('edit', '', '{"duration_s": 2}')),
        (f':edit {ID} {{"duration_s": 2}}', ApprovalAnswer('edit', ID, '{"duration_s": 2}')),
        (':reject', ApprovalAnswer('reject')),
        (f':reject {ID}', ApprovalAnswer('reject', ID)),
        (':reject too near to it', ApprovalAnswer('reject', reason='too near to it')),
        (f':reject {ID} 崖に近い', ApprovalAnswer('reject', ID, reason='崖に近い')),
    ],
)
def test_what_an_answer_means(vocabulary: Any, line: str, meaning: Any) -> None:
    assert vocabulary.parse(line) == meaning
    assert vocabulary.is_about_approval(line)


@pytest.mark.parametrize(
    'line', [':edit', f':edit {ID}', ':edit duration_s=2', ':edit [2]', ':approve it', ':edit {']
)
def test_what_cannot_be_read_is_explained(vocabulary: Any, line: str) -> None:
    with pytest.raises(UsageError, match=r'takes the'):
        vocabulary.parse(line)


@pytest.mark.parametrize('line', ['', 'approve', ':stop', ':approved', 'go to :approve'])
def test_other_lines_are_not_about_approval(vocabulary: Any, line: str) -> None:
    assert not vocabulary.is_about_approval(line)


def test_what_waits_is_reported_with_the_time_that_is_left() -> None:
    request = {
        'id': ID,
        'tool': 'move_forward',
        'arguments': {'duration_s': 5.0},
        'risk': 'Moves the base',
        'amounts_to': '5 s, about 2.4 m straight ahead',
        'reason': 'to see\nmore',
        'expires_at': 160.0,
    }
    reported = format_requests([request], now=118.4)
    assert reported.splitlines() == [
        f'{ID}  move_forward(duration_s=5.0)  Moves the base  42 s left',
        '            that is: 5 s, about 2.4 m straight ahead',
        '            because: to see more',
    ]
    assert format_requests([], now=0.0) == 'No request waits.'


@pytest.mark.parametrize(
    'request_', [{}, {'expires_at': 'soon'}, {'expires_at': None}, {'expires_at': 10**400}]
)
def test_a_request_that_does_not_say_when_it_expires_is_shown_all_the_same(request_: Any) -> None:
    assert '? left' in format_requests([request_], now=0.0)
