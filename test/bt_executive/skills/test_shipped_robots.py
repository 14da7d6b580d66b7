"""Robots of config/robots whose messages are not on PyPI: their fields, by the definitions."""

from __future__ import annotations

import pytest

from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.interface_fields import Interface, ListOf, Shape
from rover_common.ros.interface_fields_from_ros import resolve

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
