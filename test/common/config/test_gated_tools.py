"""What a tool with a gate need not say, and what it may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rover_common.config.load import load_config
from rover_common.errors import ConfigError

GATES = {
    'base': {'velocity': {'in': '/wanted', 'out': '/cmd_vel'}, 'odom': '/odom'},
    'arm': {'action': '/pick'},
}
PICK = {'gate': 'arm', 'action': {'name': '/pick', 'type': 'demo_msgs/action/Pick'}}


def load(folder: Path, **tools: Any) -> Any:
    file = folder / 'robot.yaml'
    file.write_text(yaml.safe_dump({'gates': GATES, 'tools': tools}), encoding='utf-8')
    return load_config(file).robot.tools


def test_what_moves_by_a_gate_has_its_resource_and_the_guards_of_what_moves(
    tmp_path: Path,
) -> None:
    move = {'gate': 'base', 'service': {'name': '/move', 'type': 'std_srvs/srv/Trigger'}}
    tools = load(tmp_path, move={**move, 'guards': ['room', 'standing_still']}, pick=PICK)
    assert tools['move'].resources_required == ('base',)
    assert tools['move'].guards == (
        'adapter_alive',
        'outside_keep_out',
        'room',
        'standing_still',
    )
    assert tools['pick'].resources_required == ('arm',)
    assert tools['pick'].guards == ('adapter_alive',)


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
    tool = load(tmp_path, drive={'gate': 'base', 'motion': motion, 'args': args})['drive']
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
            load(tmp_path, drive=tool)
        assert said in str(caught.value)
    else:
        load(tmp_path, drive=tool)  # the registry says that it is no JSON Schema
