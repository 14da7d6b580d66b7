"""Which topics a recording takes, and the definitions that it keeps with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bt_executive.store.recorded_topics_and_definitions import (
    RecordedTopics,
    full_definition,
    share_folders,
)
from rover_common.config.load import load_config
from rover_common.config.settings import Config

STRING = 'std_msgs/msg/String'
OURS = (
    'trace/events',
    'tf',
    'tf_static',
    'scan',
    'battery_state',
    'joint_states',
    'capture/image_raw/compressed',
    'visualization_marker_array',
    'executive/state',
    'executive/approvals',
    'executive/snapshots',
    'adapter/status',
    'model/curiosity_mars_rover/odometry',
)
ROBOT = """
gates:
  base: { velocity: { in: wanted, out: cmd_vel }, odom: /odom }
  arm: { action: /arm, moving: { topic: arm_moves, field: data } }
state: { near: { topic: /lidar, field: ranges, reduce: min } }
tools: { drive: { gate: base, motion: straight } }
"""
EVERYBODYS = ('/clock', '/rosout', '/parameter_events', '/diagnostics')


@pytest.fixture(scope='module')
def config() -> Config:
    return load_config(None)


@pytest.mark.parametrize('namespace', ['/', '/rover1'])
def test_our_topics_are_taken_in_every_namespace(config: Config, namespace: str) -> None:
    wanted = RecordedTopics(config, namespace)
    prefix = namespace.rstrip('/') + '/'
    assert [name for name in OURS if not wanted.includes(prefix + name, STRING)] == []
    assert [name for name in EVERYBODYS if not wanted.includes(name, STRING)] == []


def test_what_a_robot_is_measured_by_is_taken(tmp_path: Path) -> None:
    """A refusal by a guard is understood by the topic that it read."""
    path = tmp_path / 'robot.yaml'
    path.write_text(ROBOT, encoding='utf-8')
    wanted = RecordedTopics(load_config(path), '/r')
    names = '/r/wanted', '/r/cmd_vel', '/odom', '/lidar', '/r/arm_moves'
    assert [name for name in names if not wanted.includes(name, STRING)] == []
    assert not wanted.includes('/cmd_vel', STRING)


@pytest.mark.parametrize(
    ('name', 'type_name'),
    [
        ('/rover2/scan', 'sensor_msgs/msg/LaserScan'),  # another rover's
        ('/chatter', STRING),
        ('/image_raw/compressed', 'sensor_msgs/msg/CompressedImage'),
        ('/image_raw', 'sensor_msgs/msg/Image'),
        ('/capture/image_raw', 'sensor_msgs/msg/Image'),
        ('/executive/execute_goal/_action/feedback', 'a/action/ExecuteGoal_FeedbackMessage'),
        ('/executive/snapshot_streams/_snapshots_0', 'py_trees_ros_interfaces/msg/BehaviourTree'),
        ('/executive/blackboard_streams/_watcher_0', STRING),
        ('/capture_and_score', STRING),  # the name of a service
    ],
)
def test_others_are_left_alone(config: Config, name: str, type_name: Any) -> None:
    assert not RecordedTopics(config, '/').includes(name, type_name)


def test_a_definition_brings_all_that_it_uses(tmp_path: Path) -> None:
    folder = tmp_path / 'a' / 'msg'
    folder.mkdir(parents=True)
    (folder / 'One.msg').write_text('# One\nTwo[] twos  # Not\nint32 FIVE=5\nstring<=3 name "x"\n')
    (folder / 'Two.msg').write_text('b/Three[<=2] threes\na/Two[0] self\n')
    (tmp_path / 'b' / 'msg').mkdir(parents=True)
    (tmp_path / 'b' / 'msg' / 'Three.msg').write_text('float64 value')
    unreachable = Path('/', 'x' * 300)  # pathlib raises OSError, as where this user may not look
    folders = [unreachable, tmp_path]
    first, two, three = full_definition('a/msg/One', folders).split('=' * 80 + '\n')
    assert first.startswith('# One')
    assert two.startswith('MSG: a/Two\n')
    assert three == 'MSG: b/Three\nfloat64 value'


def test_a_definition_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r'no a/msg/One\.msg'):
        full_definition('a/msg/One', [tmp_path])


@pytest.mark.ros
@pytest.mark.parametrize(
    'name', ['sensor_msgs/msg/LaserScan', 'tf2_msgs/msg/TFMessage', 'rcl_interfaces/msg/Log']
)
def test_the_installed_definitions_are_found(name: str) -> None:
    assert 'MSG: ' in full_definition(name, share_folders())
