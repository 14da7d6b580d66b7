"""Goals in three languages: what is understood, done and answered."""

from __future__ import annotations

import pytest

from bt_executive.brain import INTERRUPTED
from bt_executive.config import load_config
from bt_executive.planner.offline.intent import understand
from bt_executive.skills.registry import Registry

TEMPLATES = load_config().prompts.templates


@pytest.fixture
def palette():
    return Registry(load_config()).palette()


@pytest.mark.parametrize(
    ('goal', 'kind', 'language'),
    [
        (TEMPLATES['demo_ground_texture'].text, 'light', 'ja'),
        (TEMPLATES['rover_status'].text, 'status', 'ja'),
        ('Analyze the ground texture', 'light', 'en'),
        ('Drive to a bright place and take a picture', 'light', 'en'),
        ('明るい場所で写真を撮って', 'light', 'ja'),
        ('请分析地面纹理', 'light', 'zh'),
        ('Take a picture', 'picture', 'en'),
        ('写真を撮って', 'picture', 'ja'),
        ('拍一张照片', 'picture', 'zh'),
        ('What is your status?', 'status', 'en'),
        ('where are you', 'status', 'en'),
        ('火星车的状态', 'status', 'zh'),
        ('open the mast', 'commands', 'en'),
        ('マストを開いて', 'commands', 'ja'),
        ('drive forward', 'commands', 'en'),
        ('左に曲がって', 'commands', 'ja'),
        ('前进', 'commands', 'zh'),
        ('Sing a song', 'unknown', 'en'),
        ('', 'unknown', 'en'),
        ('drive slightly forward', 'commands', 'en'),
        ('Do not move forward', 'unknown', 'en'),
        ('マストを開かないで', 'unknown', 'ja'),
        ('stop, do not move', 'commands', 'en'),
        ('Take a picture without moving forward', 'picture', 'en'),
        ('Take a picture, and show me the image', 'picture', 'en'),
        ('Is the mast open?', 'status', 'en'),
        ('マストは開いていますか', 'status', 'ja'),
        ('マストは開いてる？', 'status', 'ja'),
        ('Have you left the mast open?', 'status', 'en'),
        ('前进了吗', 'status', 'zh'),
        ('桅杆打开了吗', 'status', 'zh'),
        ('Why do birds sing?', 'unknown', 'en'),
    ],
)
def test_goals_are_understood(goal, kind, language):
    intent = understand(goal)
    assert (intent.kind, intent.language) == (kind, language)


@pytest.mark.parametrize(
    ('goal', 'tools'),
    [
        ('stop!', ['move_stop']),
        ('open the mast', ['mast_open']),
        ('マストを開いて', ['mast_open']),
        ('close the mast', ['mast_close']),
        ('マストを閉じて', ['mast_close']),
        ('rotate the mast', ['mast_rotate']),
        ('turn left', ['turn_left']),
        ('右に曲がって', ['turn_right']),
        ('drive forward', ['move_forward']),
        ('少し前に進んで', ['move_nudge']),
        ('向前走', ['move_forward']),
        ('把桅杆打开', ['mast_open']),
        ('把桅杆收起来', ['mast_close']),
    ],
)
def test_a_command_is_one_tool_and_an_answer(goal, tools, light_world, think, palette):
    world = light_world(mast_open=False)
    answer = think(goal, world, palette)
    assert world.tools == tools
    assert tools[0] in answer


@pytest.mark.parametrize(
    'goal',
    [
        'Could you open the mast?',
        'Have the rover open the mast',
        'マストを開けてもらえますか',
        'マストを開いてくださいますか',
        'マストを開いてくれますか？',
        'マストを開けてもらっていいですか',
        '能打开桅杆吗',
        '可以帮我打开桅杆吗？',
    ],
)
def test_a_request_in_the_form_of_a_question_is_carried_out(goal, light_world, think, palette):
    world = light_world(mast_open=False)
    think(goal, world, palette)
    assert world.tools == ['mast_open']


@pytest.mark.parametrize(
    ('goal', 'tools'),
    [
        ('close the mast and move forward', ['mast_close', 'move_forward']),
        ('Turn left, then open the mast.', ['turn_left', 'mast_open']),
        ('turn left and turn left again', ['turn_left', 'turn_left']),
        ('open the mast and take a picture', ['mast_open', 'capture_and_score']),
        ('マストを閉じて前進して', ['mast_close', 'move_forward']),
        ('关闭桅杆，然后左转，再前进', ['mast_close', 'turn_left', 'move_forward']),
        ('take a picture and tell me your position', ['capture_and_score', 'get_status']),
        (
            'turn left & drive forward\nthen open the mast',
            ['turn_left', 'move_forward', 'mast_open'],
        ),
        ('the mast: open it', ['mast_open']),
        ('drive forward and stop', ['move_stop']),
    ],
)
def test_several_commands_are_carried_out_in_their_order(goal, tools, light_world, think, palette):
    world = light_world(mast_open='capture_and_score' in tools)
    answer = think(goal, world, palette)
    assert world.tools == tools
    assert all(tool in answer for tool in tools)


def test_what_a_command_needs_is_done_between_and_does_not_count(light_world, think, palette):
    world = light_world(mast_open=True)
    answer = think('turn left and take a picture', world, palette)
    assert world.tools == [
        'turn_left',
        'mast_close',
        'turn_left',
        'capture_and_score',
        'mast_open',
        'capture_and_score',
    ]
    assert 'score 0.' in answer


def test_an_interrupted_command_begins_anew(light_world, think, palette):
    paused = [INTERRUPTED.error_reason] * 9
    world = light_world(mast_open=False, faults={'move_forward': paused})
    think('drive forward and turn left', world, palette)
    assert world.tools == ['move_forward'] * 10 + ['turn_left']


def test_a_command_that_fails_ends_those_after_it(light_world, think, palette):
    world = light_world(faults={'mast_close': ['Mast did not move'] * 9})
    answer = think('close the mast and move forward', world, palette)
    assert world.tools == ['mast_close', 'abort']
    assert 'Mast did not move' in answer


def test_a_refused_command_does_what_the_refusal_asks_for(light_world, think, palette):
    world = light_world()
    think('turn left', world, palette)
    assert world.tools == ['turn_left', 'mast_close', 'turn_left']


def test_a_command_that_does_not_work_ends_with_its_reason(light_world, think, palette):
    world = light_world(faults={'mast_open': ['Service not available'] * 9})
    assert 'Service not available' in think('open the mast', world, palette)
    assert world.tools == ['mast_open', 'abort']


def test_status_is_asked_once_and_told_in_words(light_world, think, palette):
    world = light_world(x=1.5, y=-2.0)
    answer = think(TEMPLATES['rover_status'].text, world, palette)
    assert world.tools == ['get_status']
    assert 'マストは展開中' in answer
    assert 'mast open' in answer
    assert 'x 1.50 m' in answer


def test_status_without_values_claims_nothing(light_world, think, palette):
    world = light_world(mast=False, poses=False)
    answer = think('status', world, palette)
    assert 'mast' not in answer
    assert 'x ' not in answer


def test_status_is_asked_again_after_a_fault(light_world, think, palette):
    world = light_world(faults={'get_status': ['timed out'] * 2})
    assert 'mast open' in think('status', world, palette)
    world = light_world(faults={'get_status': ['timed out'] * 9})
    assert 'timed out' in think('status', world, palette)


def test_one_picture_is_one_picture_even_if_dark(light_world, think, palette):
    world = light_world(mast_open=False)
    answer = think('Take a picture', world, palette)
    assert world.tools == ['capture_and_score', 'mast_open', 'capture_and_score']
    assert 'not good yet' in answer


@pytest.mark.parametrize('goal', ['Sing a song', '歌って', '唱歌', '', '{x}'])
def test_what_is_not_understood_moves_nothing_and_is_not_reached(
    goal, light_world, think, palette
):
    world = light_world()
    answer = think(goal, world, palette)
    assert world.tools == ['abort']
    assert 'capture_and_score' in answer


def test_without_the_needed_tool_it_says_what_it_can(light_world, think, palette):
    offered = tuple(offer for offer in palette if offer.name == 'get_status')
    world = light_world()
    answer = think('find a bright place', world, offered)
    assert world.tools == []
    assert 'get_status' in answer
