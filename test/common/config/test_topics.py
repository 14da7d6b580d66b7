"""Which names lie in the robot's namespace: those of topics.yaml, and those without a slash."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_executive.skills.tool_registry import Registry
from rover_common.config.config_values import with_values
from rover_common.config.endpoints import find_endpoint
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import ConfigError
from rover_common.ros.node_topic_and_enclave_names import relative_name

ROBOT = """
robot: yard_bot
topics:
  rover: { battery_state: %(slash)sbattery }
  safety: { events: %(slash)ssite/events }
  adapter:
    lamp: { name: %(slash)slamp, type: std_srvs/srv/Trigger }
executive: { guards: { stop_endpoint: none, fallback_stop_endpoint: none } }
tools:
  lamp: { service: adapter.lamp }
  bell: { service: { name: %(slash)sbell, type: std_srvs/srv/Trigger } }
"""


def robot(tmp_path: Path, slash: str, beside: str = '') -> Config:
    (tmp_path / 'robot.yaml').write_text(ROBOT % {'slash': slash}, encoding='utf-8')
    if beside:
        (tmp_path / 'topics.yaml').write_text(beside, encoding='utf-8')
    config = load_config(tmp_path)
    Registry(config)
    return with_values(config, {('executive', 'agent', 'max_iterations'): 7})  # as processes do


@pytest.mark.parametrize('slash', ['', '/'])
def test_a_name_of_a_robots_file_is_one_of_ros(tmp_path: Path, slash: str) -> None:
    config = robot(tmp_path, slash)
    topics, tools = config.topics, config.robot.tools
    endpoints = [find_endpoint(config, tools[each].endpoint) for each in ('lamp', 'bell')]
    assert [each.ros_name for each in endpoints if each] == [f'{slash}lamp', f'{slash}bell']
    assert relative_name(topics.rover.battery_state) == f'{slash}battery'
    assert relative_name(topics.safety.events) == f'{slash}site/events'
    assert relative_name(topics.adapter.status.name) == 'adapter/status', 'what it leaves out'


def test_a_name_of_topics_yaml_is_in_the_namespace_with_or_without_a_slash(tmp_path: Path) -> None:
    beside = (
        'memory: { digest: /digest, places: places, recall: { name: /recall, type: a/srv/B } }'
    )
    topics = robot(tmp_path, '/', beside).topics
    assert [relative_name(each) for each in (topics.memory.digest, topics.memory.places)] == [
        'digest',
        'places',
    ]
    assert topics.memory.recall.ros_name == 'recall'
    assert relative_name(topics.rover.battery_state) == '/battery', 'robot.yaml comes first'


@pytest.mark.parametrize('name', ['curiosity', 'nav2', 'turtlebot', 'moveit_arm'])
def test_two_of_a_shipped_robot_share_nothing(name: str) -> None:
    """pyrobosim's do: all robots of a world have one server."""
    folder = Path(__file__).resolve().parents[3] / 'config'
    config = load_config(folder if name == 'curiosity' else folder / 'robots' / name)
    named = [find_endpoint(config, each.endpoint) for each in config.robot.tools.values()]
    names = [each.ros_name for each in named if each is not None]
    for gate in config.robot.gates.values():
        names += [getattr(gate, 'action', ''), getattr(gate, 'odom', '')]
        if velocity := getattr(gate, 'velocity', None):
            names += [velocity.wanted, velocity.passed]
    assert [each for each in names if each.startswith('/')] == []


@pytest.mark.parametrize(('gate', 'tool'), [('/run', 'run'), ('run', '/run')])
def test_a_gate_and_its_tool_name_the_same_action(tmp_path: Path, gate: str, tool: str) -> None:
    (tmp_path / 'robot.yaml').write_text(
        f'gates: {{ arm: {{ action: {gate} }} }}\n'
        f'tools: {{ run: {{ gate: arm, action: {{ name: {tool}, type: a_m/action/Run }} }} }}\n',
        encoding='utf-8',
    )
    with pytest.raises(ConfigError) as error:
        Registry(load_config(tmp_path))
    assert 'another action under a namespace: write both with a slash, or both' in str(error.value)


@pytest.mark.parametrize('name', ['//bell', '/', 'a//b', 'a b', '/a/', ''])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / 'robot.yaml').write_text(
        f"topics: {{ safety: {{ events: '{name}' }} }}\n", encoding='utf-8'
    )
    with pytest.raises(ConfigError) as error:
        load_config(tmp_path)
    assert 'write a name of ROS' in str(error.value)
