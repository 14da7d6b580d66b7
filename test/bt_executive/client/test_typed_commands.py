from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bt_executive.client.callable_tools import destination_tool, held_motion
from bt_executive.client.front_end_requests import (
    TRACE_EVENTS,
    ApprovalAnswer,
    Break,
    GoalRequest,
    Help,
    Quit,
    ServiceRequest,
    ShowPage,
    Step,
    SwitchFault,
    ToolRequest,
)
from bt_executive.client.typed_arguments import read_goto
from bt_executive.client.typed_commands import Vocabulary
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings.skills import Destination
from rover_common.errors import UsageError


@pytest.fixture(scope='module')
def offered() -> Vocabulary:
    return Vocabulary(load_config())


@pytest.fixture(scope='module', params=['A', 'B'])
def variant(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope='module')
def words(variant: str) -> Vocabulary:
    return Vocabulary(load_config(overrides=[f'variant={variant}']))


@pytest.mark.parametrize(
    ('line', 'meaning'),
    [
        (':help', Help()),
        (':quit', Quit()),
        (':stop', ServiceRequest('stop')),
        (':tree', ServiceRequest('show_tree')),
        (':status', ServiceRequest('get_status')),
        (':cap', ToolRequest('capture_and_score')),
        (':nudge', ToolRequest('move_nudge')),
        (':mast_rotate', ToolRequest('mast_rotate')),
        (':state', ServiceRequest('state')),
        (':trace', ShowPage('trace', TRACE_EVENTS)),
        ('：trace　7', ShowPage('trace', 7)),
        (':skills', ShowPage('skills')),
        (':cost', ShowPage('cost')),
        (':tool wait', ToolRequest('wait')),
        (':tool  wait  {"seconds": 2}', ToolRequest('wait', '{"seconds": 2}')),
        (':demo', GoalRequest('demo_ground_texture')),
        ('demo_ground_texture', GoalRequest('demo_ground_texture')),
        (':next', ApprovalAnswer('approve')),
        (':step', Step(True)),
        (':step OFF', Step(False)),
        (':break', Break()),
        (':break within_budget', Break('within_budget')),
        ('：rover_status', GoalRequest('rover_status')),
        ('rover_status', GoalRequest('rover_status')),
        ('  drive on until it is bright ', GoalRequest('drive on until it is bright')),
        ('地面を調べて', GoalRequest('地面を調べて')),
        ('   ', None),
    ],
)
def test_what_a_line_means(words: Any, line: str, meaning: Any) -> None:
    assert words.parse(line) == meaning


@pytest.mark.parametrize('command', ['mast_open', 'mast_close'])
def test_the_mast_is_offered_in_variant_b_only(words: Any, variant: Any, command: str) -> None:
    if variant == 'B':
        assert words.parse(f':{command}') == ToolRequest(command)
    else:
        with pytest.raises(UsageError, match='Unknown command'):
            words.parse(f':{command}')
    listed = [word for _, rows in words.help() for word, _ in rows]
    assert (f':{command}' in listed) == (variant == 'B')


def test_an_unknown_command_says_which_are_known_and_the_nearest(words: Any) -> None:
    with pytest.raises(
        UsageError, match=r"Unknown command ':captur'\. Did you mean :cap\?"
    ) as caught:
        words.parse(':captur')
    for command in words.commands:
        assert command in str(caught.value)


@pytest.mark.parametrize(
    ('line', 'words'),
    [
        (':tool', r':tool needs the name of a tool\. Known tools: .*get_status'),
        (':tool get_state', r"Unknown tool 'get_state'\. Did you mean get_status\?"),
        (':tool wait 2', r':tool takes the arguments as one JSON object'),
        (':tool wait {"seconds":', r'like :tool wait {"seconds": …}; this is not one'),
        (':tool move_nudge [2]', r'like :tool move_nudge {}; this is not one'),
        (':tool wait {"seconds": 1e999}', r'this is not one'),
        (':tool wait {"seconds": NaN}', r'this is not one'),
        (':edit {"duration_s": Infinity}', r'this is not one'),
        (':edit {"duration_s": 1, "duration_s": 25}', r'occurs twice'),
        (':tool wait {"seconds": 1, "seconds": 25}', r'occurs twice'),
        ('go ' * 3000, r'at most 8000 characters, this one has 8999'),
        (':trace all', r":trace takes a number of events, like :trace 50, not 'all'"),
        (':trace 0', r':trace takes a number'),
        (f':trace {"9" * 5000}', r':trace takes a number'),
        (':recall', r':recall needs a few words, like :recall the layered rock'),
        (':remember  ', r':remember needs a few words'),
        (':recall ' + 'rock ' * 100, r'at most 300 characters'),
        (':nudge 5', r":nudge takes nothing after it, not '5'\."),
        (':NUDGE 5', r":nudge takes nothing after it, not '5'\."),
        (':resume now', r":resume takes nothing after it, not 'now'\."),
        (':stob now', r"Unknown command ':stob'\. Did you mean :stop\?"),
        *(
            (other, rf"Unknown command '{other}'\. Did you mean {meant}\?")
            for other, meant in {
                ':cancel': ':stop',
                ':abort': ':stop',
                ':freeze': ':stop',
                ':停下': ':stop',
                ':hold': ':pause',
                ':continue': ':resume',
                ':exit': ':quit',
                ':yes': ':approve',
                ':deny': ':reject',
                ':emergency': ':safe_stop',
                ':logs': ':trace',
                ':drive': ':teleop',
            }.items()
        ),
        (':', r"Unknown command ':'\."),
        (':fault', r':fault needs the name of a fault\. Known faults: .*camera_off'),
    ],
)
def test_what_is_written_otherwise_is_explained(offered: Any, line: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        offered.parse(line)


STOPS = (
    *(
        ':stop now',
        ':stop!',
        ':stop.',
        ': stop',
        ':STOP',
        '：ｓｔｏｐ',
        '：　ＳＴＯＰ！',
        '::stop',
    ),
    *(':stop！ now!', ':Stop, please', ':st\u200bop'),
)


@pytest.mark.parametrize('line', STOPS)
def test_a_stop_is_one_however_it_is_written(offered: Vocabulary, line: str) -> None:
    assert offered.parse(line) == ServiceRequest('stop')
    assert offered.stop_or_release(line) == 'stop'


@pytest.mark.parametrize(
    ('line', 'question'),
    [
        *((':safe-stop', 'safe_stop'), (':Safe_Stop now', 'safe_stop'), (':PAUSE 5 s', 'pause')),
        *((':Resume', 'resume'), ('：ｒｅｓｅｔ', 'reset')),
    ],
)
def test_an_order_is_one_however_it_is_written(
    offered: Vocabulary, line: str, question: str
) -> None:
    assert offered.stop_or_release(line) == question


def test_what_a_line_is_does_not_depend_on_how_its_command_is_written(offered: Vocabulary) -> None:
    assert offered.is_quit(': QUIT')
    assert offered.is_local('：Ｔｒａｃｅ 7')
    assert offered.is_about_approval(':Pending')
    assert not offered.is_quit('quit')
    assert offered.parse(':TOOL wait {"Seconds": 2}') == ToolRequest('wait', '{"Seconds": 2}')


def test_the_page_on_the_console_has_every_command(offered: Any) -> None:
    page = (Path(__file__).parents[3] / 'docs' / 'console.md').read_text(encoding='utf-8')
    written = [line for line in page.splitlines() if line.startswith(('| `:', '| **'))]
    rows: list[str] = []
    for title, commands in offered.help():
        rows += [f'| **{title}** | |', *(f'| `{word}` | {does} |' for word, does in commands)]
    assert written == rows


def test_help_is_grouped_by_use_and_lists_each_command_once(offered: Vocabulary) -> None:
    groups = offered.help()
    assert next(iter(groups))[0] == 'Stop and resume'
    listed = [word.partition(' ')[0] for _, rows in groups for word, _ in rows]
    assert sorted(listed) == sorted(offered.commands)
    assert ':mast_close' in dict(dict(groups)['Drive and act'])
    assert dict(groups)['Goals'][0][0] == ':demo'


def test_another_robot_has_the_commands_of_its_own_tools() -> None:
    folder = Path(__file__).parents[2] / 'support' / 'tiny_robot_config'
    own = Vocabulary(load_config(folder))
    assert own.parse(':gripper_close') == ToolRequest('gripper_close')
    assert own.commands[':gripper_close'].description == 'close the gripper'
    assert (
        not {':recall', ':remember', ':mast_open', ':cap', ':nudge', ':demo', ':lamp', ':finish'}
        & own.commands.keys()
    )


def test_another_robot_names_its_commands_and_motions_itself() -> None:
    folder = Path(__file__).parents[2] / 'support' / 'tiny_robot_config'
    named = [
        'tools.gripper_close.command={word: grip, does: close the gripper}',
        'tools.drive_forward.by_hand={ahead: {duration_s: 2}}',
    ]
    own = Vocabulary(load_config(folder, named))
    assert own.parse(':grip') == ToolRequest('gripper_close')
    assert own.parse(':teleop ahead 3') == ToolRequest('drive_forward', '{"duration_s": 3.0}')
    assert own.commands[':teleop'].arguments == 'ahead [S]'
    with pytest.raises(UsageError, match=':teleop takes ahead, and perhaps seconds'):
        own.parse(':teleop left')
    assert held_motion(own.tools['drive_forward']) == 'drive_forward'


def test_a_base_behind_a_gate_is_driven_by_the_words_of_its_file() -> None:
    base = Vocabulary(load_config(default_folder() / 'robots' / 'turtlebot'))
    assert base.commands[':teleop'].arguments == 'forward, back, left or right'
    assert base.parse(':teleop back') == ToolRequest('drive', '{"distance_m": -0.3}')
    with pytest.raises(UsageError, match=r'back, left or right, not .back 3.\.$'):
        base.parse(':teleop back 3')  # it ends by its odometry
    assert {held_motion(each) for each in base.tools.values()} == {''}
    assert not {':goto', ':nudge', ':cap', ':status', ':fault'} & {*base.commands}


def test_a_robot_without_words_for_driving_has_no_such_command() -> None:
    assert ':teleop' not in Vocabulary(load_config(default_folder() / 'robots' / 'nav2')).commands


def test_goto_says_what_the_tool_of_the_robot_does() -> None:
    nav2 = Vocabulary(load_config(default_folder() / 'robots' / 'nav2'))
    assert nav2.commands[':goto'].description.startswith('drive to x, y (m, in the map)')


def test_goto_is_the_tool_of_the_robot_that_drives_to_a_place() -> None:
    folder = Path(__file__).parents[2] / 'support' / 'tiny_robot_config'
    assert ':goto' not in Vocabulary(load_config(folder)).commands
    own = Vocabulary(load_config(Path(__file__).parents[3] / 'config' / 'robots' / 'nav2'))
    assert own.parse(':goto 6 1.5') == ToolRequest('navigate_to', '{"x": 6.0, "y": 1.5}')
    skill = own.tools['navigate_to']
    args = {'east': skill.args['x'], 'north': skill.args['y']}
    place = Destination(x='east', y='north')
    tool = skill.model_copy(update={'args': args, 'destination': place})
    assert destination_tool({'go': tool}) == ('go', place)
    assert read_goto('6 1.5', 'go', place) == ToolRequest('go', '{"east": 6.0, "north": 1.5}')
    more = skill.model_copy(update={'args': {**args, 'yaw': args['east']}, 'destination': place})
    assert not destination_tool({'go': more})  # it needs what :goto does not have


@pytest.mark.parametrize(
    ('line', 'meaning'),
    [
        (':goto 6 -1.5', ToolRequest('navigate_to', '{"x": 6.0, "y": -1.5}')),
        (':goto 6, 1', ToolRequest('navigate_to', '{"x": 6.0, "y": 1.0}')),
        (':teleop left', ToolRequest('turn_left', '{"duration_s": 2.0}')),
        (':teleop forward 3', ToolRequest('move_forward', '{"duration_s": 3.0}')),
        (':topic /scan', ToolRequest('read_topic', '{"topic": "/scan"}')),
        (':fault camera_off', SwitchFault('camera_off')),
    ],
)
def test_words_that_need_no_ros2(offered: Vocabulary, line: str, meaning: Any) -> None:
    assert offered.parse(line) == meaning


NO_PLACES = (
    ':goto',
    ':goto 1',
    ':goto 1 2 3',
    ':goto a b',
    ':goto nan 1',
    ':goto inf 1',
    ':goto 1_0 2',
)
NO_MOTIONS = (':teleop', ':teleop up', ':teleop left 0', ':teleop left x', ':teleop left 1 2')
NO_NAMES = (':topic', ':topic a b', ':topic ;rm', ':fault', ':fault camera', ':topic $(ls)')


@pytest.mark.parametrize('line', [*NO_PLACES, *NO_MOTIONS, *NO_NAMES])
def test_what_is_written_otherwise_is_reported(offered: Vocabulary, line: str) -> None:
    with pytest.raises(UsageError):
        offered.parse(line)


@pytest.mark.parametrize('word', ['stop', 'quit', 'safe_stop', 'approve'])
def test_nothing_of_a_robot_takes_the_place_of_a_command(word: str) -> None:
    goal = f'prompts.templates.{word}={{label: x, text: drive on}}'
    folder = Path(__file__).parents[2] / 'support' / 'tiny_robot_config'
    named = Vocabulary(load_config(folder, [goal]))
    assert named.parse(f':{word}') == Vocabulary(load_config()).parse(f':{word}')


@pytest.mark.parametrize('robot', ['turtlebot', 'nav2', 'any_robot'])
def test_what_is_suggested_is_a_command_of_this_robot(robot: str) -> None:
    its = Vocabulary(load_config(default_folder() / 'robots' / robot))
    for other in (':drive', ':joystick', ':go', ':navigate', ':cancel', ':yes', ':battery'):
        with pytest.raises(UsageError) as caught:
            its.parse(other)
        _, _, hint = str(caught.value).partition('Did you mean ')
        assert not hint or hint.split('?')[0] in its.commands
