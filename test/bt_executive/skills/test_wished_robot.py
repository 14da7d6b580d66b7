"""A whole robot in one short file: state, guards, gates, tools and what its goals come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_executive.skills.tool_registry import Registry
from rover_common.config.config_values import with_values
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import ConfigError

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
