"""Whole robots: one in a short file, and those whose messages are not on PyPI."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_executive.skills.tool_registry import Registry
from rover_common.config.config_values import with_values
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import Config
from rover_common.errors import ConfigError
from rover_common.interface_field_checks import Interface, ListOf, Shape
from rover_common.ros.interface_classes_and_fields import resolve

# Types stand beside the names of servers: a graph does not choose what is called.
FILE = """
robot: yard_bot
frames: { world: map, base: base_link }
state:
  charge:  { topic: /battery_state, field: percentage, scale: 100, max_age_s: 5 }
  estop:   { topic: /estop, field: data }
  near_m:  { topic: /scan, field: ranges, reduce: min, max_age_s: 0.5 }
  holding: { topic: /robot_state, field: holding_object }
  charging: { topic: /charging, field: data }
guards:
  room_ahead: { where: { near_m: { at_least: 0.4 } }, reason: "Something stands 0.4 m ahead" }
  has_object: { where: { holding: true }, at: start, reason: "Nothing is held" }
  is_fit: { any_of: [ { charge: { at_least: 30 } }, { holding: true } ], reason: "Too weak" }
  by_itself: { not: { estop: true }, reason: "Somebody holds it" }
safe_when: { estop: true }
gates:
  base: { velocity: { in: /cmd_vel_wanted, out: /cmd_vel, stamped: false }, odom: /odom }
  arm:
    action: /execute_action
    moving: { topic: /robot_state, type: arm_msgs/msg/State, field: busy }
    stop: cancel_own
tools:
  drive: { gate: base, motion: straight, args: { distance_m: { maximum: 3 } },
           guards: [room_ahead] }
  navigate:
    gate: base
    action: { name: /navigate_to_pose, type: nav2_msgs/action/NavigateToPose }
    args: { x: pose.pose.position.x, y: pose.pose.position.y }
  pick:
    action: { name: /execute_action, type: arm_msgs/action/Execute }
    set: { action.type: pick }
    args: { object: action.object }
    gate: arm
    approve: true
  put_down:
    action: { name: /execute_action, type: arm_msgs/action/Execute }
    set: { action.type: place }
    gate: arm
    guards: [has_object]
  dock:
    gate: base
    action: { name: /dock_robot, type: nav2_msgs/action/DockRobot }
    postcondition: { charging: true }
  fetch:    { sequence: [ { navigate: { x: 4.0, y: 1.5 } }, { pick: { object: "${object}" } } ] }
charge: { by: dock }
done_when: { holding: true }
"""


def loaded(tmp_path: Path, text: str = FILE) -> Config:
    path = tmp_path / 'robot.yaml'
    path.write_text(text, encoding='utf-8')
    return load_config(path)


def test_the_whole_robot_loads(tmp_path: Path) -> None:
    config = loaded(tmp_path)
    registry = Registry(config)
    assert {'drive', 'navigate', 'pick', 'put_down', 'fetch'} <= {*registry}
    assert registry['fetch'].skill.args_schema['required'] == ['object']
    assert {each.motion_to_permit for each in (registry['pick'], registry['put_down'])} == {
        'execute_action'
    }
    assert config.robot.charging == {'dock'}
    assert registry['dock'].motion_to_permit == 'dock_robot'
    assert {'base'} <= {*registry['dock'].skill.resources_required}
    assert config.robot.done_when is not None
    assert config.robot.done_when.where == {'holding': (True,)}
    assert config.robot.guards['has_object'].at == 'start'


def test_a_process_reads_it_again_as_it_is(tmp_path: Path) -> None:
    """Parameters of ROS are put into the whole of a configuration, defaults included."""
    text = FILE.replace(
        'guards:\n', 'guards:\n  own: { plugin: own, options: { a: [1] }, reason: "No" }\n', 1
    )
    config = loaded(tmp_path, text)
    changed = with_values(config, {('executive', 'agent', 'max_iterations'): 7})
    assert changed.robot == config.robot
    assert changed.executive.agent.max_iterations == 7


@pytest.mark.parametrize(
    ('old', 'new', 'sentence'),
    [
        ('at: start', 'at: end', "guards.has_object.at' is 'end'"),
        (
            'done_when: { holding',
            'done_when: { held',
            "done_when.where: field 'held' is not known",
        ),
        ('done_when: { holding: true }', 'done_when: {}', 'done_when'),
        ('done_when: { holding: true }', 'done_when: { near: { x: 1 } }', 'done_when.near.y'),
        ('by: dock', 'by: dok', "charge.by: tool 'dok' is not known; did you mean 'dock'?"),
        ('by: dock', 'by: navigate', 'charge: navigate needs x, y: write them as `args`'),
        ('reduce: min', 'reduce: mni', "state.near_m.reduce: 'mni' is no installed plug-in"),
        (
            'motion: straight,',
            'motion: straight, by_hand: { on: { distance: 1 } },',
            "by_hand.on: drive: argument 'distance' is not known",
        ),
        (
            'motion: straight,',
            'motion: straight, by_hand: { on: { distance_m: 4 } },',
            'by_hand.on: drive.distance_m is 4, which its args do not allow',
        ),
        (
            'where: { holding: true }, at',
            'where: { holding: true }, plugin: a, at',
            'a plugin and',
        ),
    ],
)
def test_a_slip_in_it_is_reported(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in FILE
    with pytest.raises(ConfigError) as error:
        Registry(loaded(tmp_path, FILE.replace(old, new)))
    assert sentence in str(error.value)


# As far as the robots' files use them, of pyrobosim_msgs 5.0 and moveit_msgs of Jazzy.
TASK: Shape = {
    **dict.fromkeys(('robot', 'type', 'object', 'room'), 'string'),
    **dict.fromkeys(('source_location', 'target_location'), 'string'),
}
JOINT: Shape = {
    'joint_name': 'string',
    **dict.fromkeys(('position', 'tolerance_above', 'tolerance_below', 'weight'), 'double'),
}
GOAL: Shape = {'name': 'string', 'joint_constraints': ListOf('sequence<JointConstraint>', JOINT)}
REQUEST: Shape = {
    'group_name': 'string',
    'num_planning_attempts': 'int32',
    **dict.fromkeys(('allowed_planning_time', 'max_velocity_scaling_factor'), 'double'),
    'max_acceleration_scaling_factor': 'double',
    'goal_constraints': ListOf('sequence<Constraints>', GOAL),
}
STATE: Shape = {
    'name': 'string',
    'battery_level': 'double',
    **dict.fromkeys(('executing_action', 'holding_object'), 'boolean'),
    **dict.fromkeys(('manipulated_object', 'last_visited_location'), 'string'),
}
DEFINED = {
    'pyrobosim_msgs/msg/RobotState': Interface(STATE, {}),
    'pyrobosim_msgs/action/ExecuteTaskAction': Interface(
        {'action': TASK}, {'execution_result': {'status': 'int32', 'message': 'string'}}
    ),
    'moveit_msgs/action/MoveGroup': Interface(
        {'request': REQUEST}, {'error_code': {'val': 'int32', 'message': 'string'}}
    ),
}
ROBOTS = {'pyrobosim': 'pyrobosim_msgs', 'moveit_arm': 'moveit_msgs'}


def defined(type_name: str) -> Interface:
    """The shape that stands here, else the installed one."""
    return DEFINED.get(type_name) or resolve(type_name)


@pytest.mark.parametrize('robot', ROBOTS)
def test_its_fields_are_those_of_the_definitions(robot: str) -> None:
    registry = Registry(load_config(default_folder() / 'robots' / robot), defined)
    acting = [tool for tool in registry.values() if tool.endpoint]
    assert acting
    assert all(tool.motion_to_permit for tool in acting), 'nothing moves without a gate'


@pytest.mark.parametrize(('robot', 'package'), ROBOTS.items())
def test_its_fields_are_those_of_the_package(robot: str, package: str) -> None:
    pytest.importorskip(f'{package}.action', reason=f'{package} is not installed: not on PyPI')
    Registry(load_config(default_folder() / 'robots' / robot), resolve)
