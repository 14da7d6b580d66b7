"""Gates, topics and the fields of messages: what fits, what is sent, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bt_executive.core.guard_view_and_verdict import MotionAhead
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.errors import ConfigError
from rover_common.ros.interface_classes_and_fields import interface_class, resolve
from rover_common.ros.message_conversions import fields_to_ros

Configured = Callable[[Callable[[dict[str, Any]], None]], Any]
COVARIANCE = 'geometry_msgs/msg/PoseWithCovarianceStamped'


def publishing(type_name: str = 'std_msgs/msg/UInt8', **changes: Any) -> dict[str, Any]:
    """A tool that publishes on the robot's own topic."""
    return {'topic': {'name': '/lamp/brightness', 'type': type_name}} | changes


def made(configured: Configured, entry: dict[str, Any], **gates: Any) -> Registry:
    def change(content: dict[str, Any]) -> None:
        content['tools']['dim'] = entry
        if gates:
            content['gates'] = gates

    return Registry(configured(change), resolve)


SENT: dict[str, tuple[dict[str, Any], dict[str, Any], Callable[[Any], Any], Any]] = {
    'a constant': (publishing(set={'data': 7}), {}, lambda it: it.data, 7),
    'an argument in a nested field': (
        publishing(COVARIANCE, args={'x': 'pose.pose.position.x'}, set={'header.frame_id': 'map'}),
        {'x': 2},
        lambda it: (it.pose.pose.position.x, it.header.frame_id),
        (2.0, 'map'),
    ),
    'an element of a list of fixed length': (
        publishing(
            COVARIANCE, args={'sure': 'pose.covariance[35]'}, set={'pose.covariance[0]': 1}
        ),
        {'sure': 0.5},
        lambda it: (len(it.pose.covariance), *it.pose.covariance[[0, 1, 35]]),
        (36, 1.0, 0.0, 0.5),
    ),
    'elements of a list that grows': (
        publishing(
            'sensor_msgs/msg/JointState',
            args={'lift': 'position[1]'},
            set={'name': ['turn', 'lift'], 'position[0]': 0.25},
        ),
        {'lift': 1},
        lambda it: (list(it.name), list(it.position)),
        (['turn', 'lift'], [0.25, 1.0]),
    ),
    'a field of an element': (
        publishing('geometry_msgs/msg/PoseArray', args={'x': 'poses[0].position.x'}),
        {'x': 3.0},
        lambda it: [pose.position.x for pose in it.poses],
        [3.0],
    ),
}


@pytest.mark.parametrize('case', SENT)
def test_what_is_published_has_what_the_file_and_the_call_say(
    configured: Configured, case: str
) -> None:
    entry, arguments, read, expected = SENT[case]
    tool = made(configured, entry)['dim']
    assert tool.refuse_arguments(arguments) is None
    assert tool.endpoint is not None
    message = fields_to_ros(interface_class(tool.endpoint.type), tool.request(arguments))
    assert read(message) == expected


def named(name: str, type_name: str = 'std_msgs/msg/UInt8') -> dict[str, Any]:
    return {'topic': {'name': name, 'type': type_name}}


GATE = {'velocity': {'in': '/wanted', 'out': '/wheels/speed'}, 'odom': '/wheels/odom'}
RESERVED = {
    '/wheels/speed': "of the gate 'wheels'",
    '/wanted': "of the gate 'wheels'",
    'wheels/odom': "of the gate 'wheels'",
    '/robot_1/wheels/speed': "of the gate 'wheels'",
    '/cmd_vel': '',
    '/executive/heartbeat': '',
    '/robot_1/executive/heartbeat': '',
    '/bt_executive/state': 'one of the executive',
    '/executive/goal_keepalives': 'one of the executive',
    '/safety_events': 'in `topics`, where the executive uses it',
    '/keep_out_zones': 'in `topics`, where the executive uses it',
    '/adapter/status': '',
    '/tf': 'one of ROS or of the executive',
    '/clock': 'one of ROS or of the executive',
    '/pick/_action/feedback': 'part of an action',
}
NO_NAMES = ('/a//b', '/lamp/', '~/state')
FAULTS: list[tuple[dict[str, Any], str]] = [
    (
        publishing(COVARIANCE, set={'pose.pose.position_.x': 1.0}),
        'set.pose.pose.position_.x is not a field of geometry_msgs/msg/PoseWithCovarianceStamped: '
        "'pose.pose' has position, orientation: did you mean 'position'?",
    ),
    (
        publishing(COVARIANCE, args={'x': 'pose.pose.position.xx'}),
        "'pose.pose.position' has x, y, z: did you mean 'x'?; name it: { field: … }.",
    ),
    (publishing(set={'data': 'seven'}), "set.data is 'seven', but the field is uint8."),
    (publishing(set={'data': True}), 'set.data is True, but the field is uint8.'),
    (publishing(set={'data': 256}), 'set.data is 256, but the field is uint8, from 0 to 255.'),
    *(
        (
            publishing(args={'level': {'type': 'integer', key: value, 'field': 'data'}}),
            f"args.level.{key} is {shown}, but field 'data' is uint8, from 0 to 255.",
        )
        for key, value, shown in [
            ('default', 300, 300),
            ('const', -1, -1),
            ('enum', [7, 256], 256),
            ('minimum', -0.5e3, -500),
            ('maximum', 256.5, 256),
        ]
    ),
    (
        publishing(
            'sensor_msgs/msg/JointState',
            args={'at': {'type': 'array', 'default': [1.0, 'a'], 'field': 'position'}},
        ),
        "args.at.default is [1.0, 'a'], but field 'position' is double.",
    ),
    (
        publishing(COVARIANCE, set={'pose.pose.position': 1}),
        'but the field is a message with x, y, z: set its fields.',
    ),
    (
        publishing(COVARIANCE, set={'pose.covariance[36]': 1}),
        "'pose.covariance' has 36 elements, the last is pose.covariance[35].",
    ),
    (publishing(set={'data[0]': 1}), "'data' is uint8, and no list."),
    (
        publishing('geometry_msgs/msg/PoseArray', set={'poses.position.x': 1.0}),
        "'poses' is sequence<geometry_msgs/Pose>: write the index of an element.",
    ),
    (
        publishing(COVARIANCE, set={'pose.covariance': [1.0, 2.0]}),
        'is double[36], and there are 2 values.',
    ),
    (
        publishing('sensor_msgs/msg/JointState', set={'position[2]': 1.0, 'position[0]': 1.0}),
        "element 1 of 'position' is not filled by every call, and 2 is the last",
    ),
    (
        publishing(
            'sensor_msgs/msg/JointState',
            args={'a': {'type': 'number', 'optional': True, 'field': 'position[0]'}},
            set={'position[1]': 1.0},
        ),
        "element 0 of 'position' is not filled by every call",
    ),
    (
        publishing(args={'data': {'type': 'integer', 'maximum': 9}}, set={'data': 1}),
        "set.data and argument 'data' both fill 'data'.",
    ),
    (
        publishing('sensor_msgs/msg/JointState', set={'position': [1.0], 'position[0]': 1.0}),
        "set.position and set.position[0] both fill 'position'.",
    ),
    (named('/lamp', 'disco_msgs/msg/Lamp'), "interface 'disco_msgs/msg/Lamp' is not installed"),
    (
        named('/lamp', 'std_srvs/srv/Trigger'),
        'topic /lamp is a service (std_srvs/srv/Trigger), not a topic.',
    ),
    (publishing(result={'ok': 'data'}), 'it publishes, and nothing answers'),
    (
        publishing(resources_required=['base']),
        'it publishes, and moves the base: a topic has no permit and no end',
    ),
    (
        named('/other/speed', 'geometry_msgs/msg/Twist'),
        'topic /other/speed has velocities (geometry_msgs/msg/Twist): they pass only by a gate',
    ),
    *((named(name), f'topic {name} is {whose}') for name, whose in RESERVED.items()),
    *(
        (named(name), f"'tools.dim.topic.name' is {name!r}: write a name of ROS")
        for name in NO_NAMES
    ),
]


@pytest.mark.parametrize(('entry', 'sentence'), FAULTS, ids=[fault for _, fault in FAULTS])
def test_a_fault_is_one_sentence(
    configured: Configured, entry: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ConfigError) as error:
        made(configured, entry, wheels=GATE)
    mine = [line for line in str(error.value).splitlines() if 'tools.dim' in line]
    assert len(mine) == 1, mine
    assert sentence in mine[0]


@pytest.mark.parametrize(
    ('entry', 'sentence'),
    [
        (publishing(service='adapter.mast_open'), 'a service and a topic: give one of them'),
        ({'set': {'data': 1}}, 'it has `set` and sends nothing'),
        (publishing(set={'data': {'x': 1}}), 'dots for a field of a field'),
        (publishing(set={'Data; rm': 1}), 'set'),
        (publishing(set={'data[1000]': 1}), 'set'),
    ],
)
def test_a_mistaken_entry_is_refused(
    configured: Configured, entry: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ConfigError) as error:
        made(configured, entry)
    assert sentence in str(error.value)
    assert 'tools.dim' in str(error.value)


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
        (
            {'base': BASE},
            {'drive': DRIVE, 'tour': {'sequence': ['drive'], 'reads_only': True}},
            'tools.tour: it moves something, or a tool of which it is made does: leave out',
        ),
        (
            {'base': BASE},
            {
                'drive': DRIVE,
                'raise': {
                    'service': {'name': '/raise', 'type': TRIGGER},
                    'resources_required': ['mast'],
                    'reads_only': True,
                },
            },
            'tools.raise: it moves something, or a tool of which it is made does: leave out',
        ),
        (
            {'arm': {'action': '/pick'}},
            {
                'pick': {'gate': 'arm', 'action': {'name': '/pick', 'type': MOTION}},
                'wave': {'action': {'name': '/pick', 'type': MOTION}},
            },
            "tools.wave: it calls /pick, which moves only by the gate 'arm', and has no permit: "
            'write `gate: arm`',
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


def test_a_name_with_two_types_is_refused_for_ros_refuses_the_second(tmp_path: Path) -> None:
    lamp = {'name': '/lamp', 'type': TRIGGER}
    content = {
        'tools': {
            'on': {'service': lamp},
            'off': {'service': lamp | {'type': 'std_srvs/srv/Empty'}},
            'dim': publishing(),
            'glow': publishing('std_msgs/msg/Float32'),
            'same': publishing(set={'data': 3}),
        },
        'state': {
            'lit': {'topic': '/lit', 'field': 'data', 'type': 'std_msgs/msg/Bool'},
            'bright': {'topic': '/lit', 'field': 'data', 'type': 'std_msgs/msg/UInt8'},
            'lamp': {'topic': '/lamp', 'field': 'data', 'type': 'std_msgs/msg/Bool'},
        },
    }
    file = tmp_path / 'robot.yaml'
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding='utf-8')
    with pytest.raises(ConfigError) as caught:
        Registry(load_config(file))
    assert [line for line in str(caught.value).splitlines() if 'one type only' in line] == [
        f'robot.yaml: {key}: {name} is {mine} here and {other} in {where}, and can have one type '
        'only: correct one of them.'
        for key, name, mine, other, where in [
            ('tools.off', 'service /lamp', 'std_srvs/srv/Empty', TRIGGER, 'tools.on'),
            *(
                (key, name, f'std_msgs/msg/{mine}', f'std_msgs/msg/{other}', where)
                for key, name, mine, other, where in [
                    ('tools.glow', 'topic /lamp/brightness', 'Float32', 'UInt8', 'tools.dim'),
                    ('state.bright', 'topic /lit', 'UInt8', 'Bool', 'state.lit'),
                ]
            ),
        ]
    ]
