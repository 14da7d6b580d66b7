"""`gates` and the tools that have one: what they accept, and the sentence for what they do not."""

from __future__ import annotations

from pathlib import Path
import shutil
from typing import Any

import pytest
import yaml

from rover_common.config.endpoints import actions_at
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import ActionGateSettings, VelocityGateSettings
from rover_common.errors import ConfigError

BASE = {'velocity': {'in': '/cmd_vel_wanted', 'out': '/cmd_vel'}, 'odom': '/odom'}
ARM = {'action': '/execute_action'}


def load(folder: Path, **gates: Any) -> Any:
    state = {'busy': {'topic': '/arm', 'field': 'joints', 'reduce': 'any'}, 'lamp': 'boolean'}
    made = folder / 'robot.yaml'
    made.write_text(yaml.safe_dump({'gates': gates, 'state': state}), encoding='utf-8')
    return load_config(made).robot.gates


def test_a_gate_has_the_kind_that_its_keys_tell(tmp_path: Path) -> None:
    moving = {'topic': '/state', 'type': 'demo_msgs/msg/State', 'field': 'arm.busy'}
    gates = load(
        tmp_path,
        base=BASE,
        arm={**ARM, 'moving': 'busy'},
        hand={
            'action': '/grip',
            'moving': moving,
            'stop': 'cancel_own',
            'deadman_s': 0.2,
        },
    )
    base, arm, hand = gates['base'], gates['arm'], gates['hand']
    assert isinstance(base, VelocityGateSettings)
    assert (base.velocity.wanted, base.velocity.passed) == ('/cmd_vel_wanted', '/cmd_vel')
    assert not base.velocity.stamped
    assert isinstance(arm, ActionGateSettings)
    assert (arm.action, arm.moving) == ('/execute_action', 'busy')
    assert hand.moving.field == 'arm.busy'


@pytest.mark.parametrize(
    ('gates', 'said'),
    [
        ({'base': {**BASE, 'odom': 'no name'}}, "'gates.base.odom' is 'no name'"),
        ({'base': {**BASE, 'velocity': {'in': '/cmd_vel', 'out': 'cmd_vel'}}}, 'on another topic'),
        ({'base': {**BASE, 'velocity': {'in': '/a'}}}, "'gates.base.velocity.out' is missing"),
        ({'base': {**BASE, 'odom': '/cmd_vel'}}, 'which is a topic of velocities, too'),
        ({'base': {**BASE, 'deadman_s': 0.45}}, 'write at most 0.4'),
        ({'base': {**BASE, 'spede': 1}}, "unknown key 'gates.base.spede'"),
        ({'base': {}}, "'gates.base.velocity' is missing"),
        ({'base': 'cmd_vel'}, "'gates.base' is 'cmd_vel'"),
        ({'Base': BASE}, "'gates.Base"),
        ({'arm': {**ARM, 'stop': 'all'}}, "'gates.arm.stop' is 'all'"),
        ({'arm': {**ARM, 'moving': {'topic': '/s', 'type': 'x'}}}, "'gates.arm.moving.type' is"),
        ({'arm': {**ARM, 'moving': 'bsy'}}, "yaml: gates.arm.moving is 'bsy': name an entry of"),
        ({'arm': {**ARM, 'moving': 'lamp'}}, 'state that has a topic (busy), or write'),
        ({'arm': {**ARM, 'moving': {'topic': '/s', 'field': 'a b'}}}, "'a b' is no path"),
        ({'arm': ARM, 'hand': ARM}, 'arm and hand are both gates of'),
        ({f'g{n}': {'action': f'/a{n}'} for n in range(17)}, 'write 16 at most'),
    ],
)
def test_what_is_wrong_is_said_with_key_and_remedy(
    tmp_path: Path, gates: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, **gates)
    assert said in str(caught.value)
    assert 'robot.yaml' in str(caught.value)


@pytest.mark.slow
def test_a_tool_names_a_gate_that_there_is(tmp_path: Path) -> None:
    made = Path(shutil.copytree(default_folder(), tmp_path / 'config'))
    content = yaml.safe_load((made / 'robot.yaml').read_text(encoding='utf-8'))
    content['gates'] = {'base': BASE}
    content['tools']['move_forward']['gate'] = 'arm'
    (made / 'robot.yaml').write_text(yaml.safe_dump(content), encoding='utf-8')
    with pytest.raises(ConfigError, match="has the gate 'arm', which is not among gates: base"):
        load_config(made)


GATES = {
    'base': {'velocity': {'in': '/wanted', 'out': '/cmd_vel'}, 'odom': '/odom'},
    'arm': {'action': '/pick'},
}
PICK = {'gate': 'arm', 'action': {'name': '/pick', 'type': 'demo_msgs/action/Pick'}}


def load_tools(folder: Path, **tools: Any) -> Any:
    file = folder / 'robot.yaml'
    file.write_text(yaml.safe_dump({'gates': GATES, 'tools': tools}), encoding='utf-8')
    return load_config(file).robot.tools


def test_what_moves_by_a_gate_has_its_resource_and_the_guards_of_what_moves(
    tmp_path: Path,
) -> None:
    move = {'gate': 'base', 'service': {'name': '/move', 'type': 'std_srvs/srv/Trigger'}}
    tools = load_tools(tmp_path, move={**move, 'guards': ['room', 'standing_still']}, pick=PICK)
    assert tools['move'].resources_required == ('base',)
    assert tools['move'].guards == (
        'adapter_alive',
        'outside_keep_out',
        'room',
        'standing_still',
    )
    assert tools['pick'].resources_required == ('arm',)
    assert tools['pick'].guards == ('adapter_alive',)


def test_what_goes_to_a_place_by_an_action_keeps_out_of_zones(tmp_path: Path) -> None:
    args = {name: {'type': 'number'} for name in 'xy'}
    fly = {**PICK, 'args': args, 'destination': {'x': 'x', 'y': 'y'}}
    tools = load_tools(tmp_path, fly=fly, land=PICK)
    assert tools['fly'].guards == ('adapter_alive', 'outside_keep_out')
    assert tools['land'].guards == ('adapter_alive',)


@pytest.mark.parametrize(
    ('motion', 'args', 'bounds'),
    [
        ('straight', {}, {'distance_m': {'exclusiveMinimum': 0, 'maximum': 10}}),
        (
            'straight',
            {'distance_m': {'maximum': 3}},
            {'distance_m': {'exclusiveMinimum': 0, 'maximum': 3}},
        ),
        (
            'straight',
            {'distance_m': {'minimum': -1, 'maximum': 3}},
            {'distance_m': {'minimum': -1, 'maximum': 3}},
        ),
        (
            'turn',
            {'angle_rad': {'maximum': 1.6}},
            {'angle_rad': {'minimum': -1.6, 'maximum': 1.6}},
        ),
    ],
)
def test_a_motion_of_the_gate_is_an_action_with_bounded_arguments(
    tmp_path: Path, motion: str, args: dict[str, Any], bounds: dict[str, Any]
) -> None:
    tool = load_tools(tmp_path, drive={'gate': 'base', 'motion': motion, 'args': args})['drive']
    assert (tool.motion, tool.action.name) == (None, f'/gates/base/{motion}')
    properties = {name: {'type': 'number', **each} for name, each in bounds.items()}
    assert tool.args_schema['properties'] == properties
    assert tool.args_schema['required'] == list(bounds)


@pytest.mark.parametrize(
    ('tool', 'said'),
    [
        ({'gate': 'base', 'motion': 'zigzag'}, 'the motions of a gate are straight, turn, arc'),
        ({**PICK, 'gate': 'base', 'motion': 'turn'}, 'name no service or action'),
        ({'gate': 'wheels', 'motion': 'turn'}, "the gate 'wheels', which is not among gates: arm"),
        ({'motion': 'turn'}, "tools.drive: motion 'turn' is one of a gate: name it"),
        ({'gate': 'base', 'motion': 'turn', 'args': []}, 'tools.drive'),
        ({'gate': 'base', 'motion': 'turn', 'args': {'angle_rad': {'maximum': 'x'}}}, ''),
        ({'gate': 'base', 'motion': 'turn', 'result': 3}, 'tools.drive'),
        ({'gate': ['base'], 'motion': 'turn'}, 'tools.drive'),
        ({'gate': 'base', 'guards': 3}, 'tools.drive.guards'),
    ],
)
def test_a_hostile_tool_is_refused_in_a_sentence(
    tmp_path: Path, tool: dict[str, Any], said: str
) -> None:
    if said:
        with pytest.raises(ConfigError) as caught:
            load_tools(tmp_path, drive=tool)
        assert said in str(caught.value)
    else:
        load_tools(tmp_path, drive=tool)  # the registry says that it is no JSON Schema


TYPE = 'demo_msgs/action/Go'


def calling(name: str, kind: str = 'action') -> dict[str, Any]:
    type_name = TYPE if kind == 'action' else 'std_srvs/srv/Trigger'
    return {'gate': 'base', kind: {'name': name, 'type': type_name}}


@pytest.mark.parametrize(
    ('tools', 'said'),
    [
        (
            {'go': calling('/nav/go'), 'roam': calling('/explore/go')},
            "robot.yaml: 'tools.roam' calls the action /explore/go by the gate 'base', which "
            "would take it for /nav/go of 'tools.go', since both names end with 'go'",
        ),
        ({'go': calling('/go'), 'roam': calling('go')}, "/go of 'tools.go'"),
        ({'spin': calling('/maneuvers/turn')}, "would take it for its own motion 'turn': write"),
        ({'spin': calling('/maneuvers/arc', 'service')}, 'the service /maneuvers/arc by the gate'),
        ({'spin': calling('/gates/base/turn')}, 'would take it for its own'),
        ({'spin': calling('gates/arm/turn')}, 'would take it for its own'),
    ],
)
def test_a_gate_never_takes_a_motion_for_that_of_another_server(
    tmp_path: Path, tools: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_tools(tmp_path, **tools)
    assert said in str(caught.value)
    assert 'by a key in `topics`, such as adapter.' in str(caught.value)


def test_motions_that_a_gate_distinguishes_are_accepted(tmp_path: Path) -> None:
    load_tools(
        tmp_path,
        go=calling('/nav/go'),
        go_again=calling('/nav/go'),
        call_it=calling('/nav/stay/go', 'service'),  # no goal to cancel
        turn={'gate': 'base', 'motion': 'turn'},
        turn_round={'gate': 'base', 'motion': 'turn', 'args': {'angle_rad': {'maximum': 1}}},
        pick=PICK,
    )


def test_a_key_of_topics_is_the_name_of_a_motion(tmp_path: Path) -> None:
    keys = {'roam_go': '/explore/go', 'spin_turn': '/maneuvers/turn'}
    endpoints = {key: {'name': name, 'type': TYPE} for key, name in keys.items()}
    tools = {key: {'gate': 'base', 'action': f'adapter.{key}'} for key in keys}
    content = {
        'gates': GATES,
        'topics': {'adapter': endpoints},
        'tools': {**tools, 'go': calling('/nav/go')},
    }
    (tmp_path / 'robot.yaml').write_text(yaml.safe_dump(content), encoding='utf-8')
    assert set(actions_at(load_config(tmp_path), 'base')) == {'go', *keys}
