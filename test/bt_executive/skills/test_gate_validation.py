"""Gates and tools that do not fit each other are refused at the start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bt_executive.core.guard_view_and_verdict import MotionAhead
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.errors import ConfigError
from rover_common.ros.interface_fields_from_ros import resolve

BASE = {'velocity': {'in': '/wanted', 'out': '/cmd_vel'}, 'odom': '/odom'}
TRIGGER = 'std_srvs/srv/Trigger'
MOTION = 'bt_executive_interfaces/action/DriveMotion'
DRIVE: dict[str, Any] = {'gate': 'base', 'motion': 'straight'}


@pytest.mark.parametrize('robot', ['turtlebot', 'nav2'])
def test_a_shipped_robot_with_gates_can_be_used(robot: str) -> None:
    folder = default_folder() / 'robots' / robot
    registry = Registry(load_config(folder), resolve)
    assert any(tool.skill.gate for tool in registry.values())


def test_the_path_of_a_gates_motion_is_known_before_it_is_driven() -> None:
    registry = Registry(load_config(default_folder() / 'robots' / 'turtlebot'))
    drive, turn, arc = (registry[name] for name in ('drive', 'turn', 'drive_arc'))
    assert drive.gate_motion_ahead({'distance_m': -0.5}) == MotionAhead(-1.0, 0.0, 0.5)
    assert turn.gate_motion_ahead({'angle_rad': 1.0}) is None
    ahead = arc.gate_motion_ahead({'distance_m': 2.0, 'radius_m': -1.0})
    assert ahead == MotionAhead(1.0, -1.0, 2.0)


def test_a_base_with_cmd_vel_is_described_in_25_lines() -> None:
    text = (default_folder() / 'robots' / 'turtlebot' / 'robot.yaml').read_text(encoding='utf-8')
    lines = [line for line in text.splitlines() if line.strip() and line.strip()[0] != '#']
    assert len(lines) <= 25


@pytest.mark.parametrize(
    ('gates', 'tools', 'said'),
    [
        ({'base': BASE}, {}, 'gates.base: no tool moves by it'),
        (
            {'base': BASE},
            {
                'drive': DRIVE,
                'roll': {
                    'service': {'name': '/roll', 'type': TRIGGER},
                    'resources_required': ['base'],
                },
            },
            'tools.roll: it drives, and nothing holds its permit: name its gate, one of base',
        ),
        (
            {'base': BASE},
            {'drive': DRIVE, 'speak': {'gate': 'base'}},
            "tools.speak: it has the gate 'base' and calls no server",
        ),
        (
            {'arm': {'action': '/pick'}},
            {'pick': {'gate': 'arm', 'action': {'name': '/place', 'type': MOTION}}},
            "tools.pick: its gate 'arm' is of /pick, and it calls /place",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_the_key(
    tmp_path: Path, gates: dict[str, Any], tools: dict[str, Any], said: str
) -> None:
    file = tmp_path / 'robot.yaml'
    file.write_text(yaml.safe_dump({'gates': gates, 'tools': tools}), encoding='utf-8')
    with pytest.raises(ConfigError) as caught:
        Registry(load_config(file), resolve)
    assert said in str(caught.value)
