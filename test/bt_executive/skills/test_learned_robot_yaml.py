"""The robot.yaml of a graph: it can be read, nothing of the graph is taken at its word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from known import known
import pytest
import yaml

from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.skills.learned_gates_and_state import LATCHED_S, MOST_FIELDS
from bt_executive.skills.learned_graph import Graph
from bt_executive.skills.learned_robot_yaml import LearnedRobot
from bt_executive.skills.learned_tools import MOST_TOOLS, TRAJECTORY
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.settings import Config, VelocityGateSettings
from rover_common.config.settings.gates import PoseFields
from rover_common.interface_field_checks import Interface, ListOf, Shape
from rover_common.ros.interface_classes_and_fields import resolve as installed

TYPES = {
    'std_srvs/srv/Trigger': Interface({}, {'success': 'boolean', 'message': 'string'}),
    'std_msgs/msg/UInt8': Interface({'data': 'uint8'}, {}),
    'std_msgs/msg/String': Interface({'data': 'string'}, {}),
    'std_msgs/msg/Empty': Interface({'structure_needs_at_least_one_member': 'uint8'}, {}),
    'arm_msgs/srv/GetState': Interface({}, {'state': 'string'}),
    'arm_msgs/action/Pick': Interface(
        {
            'action': {'type': 'string', 'x': 'double', 'at': {'x': 'double'}},
            'list': ListOf('int32[]', 'int32'),
        },
        {'success': 'boolean'},
    ),
}


def resolve(name: str) -> Interface:
    if name not in TYPES:
        raise LookupError(f'interface {name!r} is not installed')
    return TYPES[name]


def message(name: str) -> Shape:
    if name != 'arm_msgs/msg/State':
        raise LookupError(f'interface {name!r} is not installed')
    return {
        'busy': 'boolean',
        'pose': 'geometry_msgs/Pose',
        'steps': 'int32',
        'joints': 'double[6]',
    }


def learned(**graph: Any) -> LearnedRobot:
    return LearnedRobot(Graph(**graph), resolve, message, lambda *_: {})


def resolve_all(name: str) -> Interface:
    return installed(name) if name.startswith('bt_executive_interfaces/') else resolve(name)


def read(text: str, folder: Path) -> Config:
    (folder / 'robot.yaml').write_text(text)
    config = load_config(folder)
    Registry(config, resolve_all)  # all that `up` asks of the tools
    stop_endpoints(config)
    return config


def test_a_robot_is_learned(tmp_path: Path) -> None:
    config = read(
        learned(
            services={
                '/arm/halt': ('std_srvs/srv/Trigger',),
                '/arm/home': ('std_srvs/srv/Trigger',),
                '/arm/get_state': ('arm_msgs/srv/GetState',),
                '/arm/get_parameters': ('rcl_interfaces/srv/GetParameters',),
            },
            actions={'/arm/pick': ('arm_msgs/action/Pick',)},
            topics={
                '/arm/state': ('arm_msgs/msg/State',),
                '/scan': ('sensor_msgs/msg/LaserScan',),
                '/cmd_vel': ('geometry_msgs/msg/Twist',),
                '/odom': ('nav_msgs/msg/Odometry',),
            },
            subscribed=frozenset({'/cmd_vel'}),
            frames={'base_link': 'odom', 'odom': 'map', 'camera': 'base_link'},
        ).text(),
        tmp_path,
    )
    tools = {name: each for name, each in config.robot.tools.items() if name.startswith('arm')}
    assert {name: each.approve for name, each in tools.items()} == {
        'arm_get_state': False,
        'arm_home': True,
        'arm_pick': True,
    }
    assert tools['arm_get_state'].reads_only
    assert tools['arm_get_state'].description.startswith('Get state: ')  # how it may be asked for
    fields = {name: each.field for name, each in tools['arm_pick'].args.items()}
    assert fields == {'type': 'action.type', 'action_x': 'action.x', 'action_at_x': 'action.at.x'}
    assert [*config.robot.state] == ['busy', 'steps', 'near_m']
    assert (config.topics.tf.world_frame, config.topics.tf.base_frame) == ('map', 'base_link')
    assert [each and each.name for each in stop_endpoints(config)] == [
        '/adapter/stop',
        '/arm/halt',
    ]
    assert {name: each.gate for name, each in config.robot.tools.items() if each.gate} == {
        'arm_pick': 'arm_pick',
        'drive': 'base',
        'turn': 'base',
    }
    base = config.robot.gates['base']
    assert isinstance(base, VelocityGateSettings)
    assert (base.velocity.wanted, base.velocity.passed) == ('/cmd_vel_wanted', '/cmd_vel')
    text = (tmp_path / 'robot.yaml').read_text()
    assert 'field list is int32[]' in text
    assert [*config.robot.guards] == ['room_ahead']
    assert tools['arm_pick'].result.ok == 'success'


def test_what_a_field_cannot_hold_is_refused_before_a_human_is_asked(tmp_path: Path) -> None:
    fields: Shape = {
        'level': 'uint8',
        'step': 'int16',
        'code': 'octet',
        'count': 'uint64',
        'ticks': 'int32',
        'way': 'double',
        'name': 'string<5>',
        'note': 'string',
    }
    types = {'a_msgs/srv/Do': Interface(fields, {})}
    text = LearnedRobot(
        Graph({'/do': ('a_msgs/srv/Do',)}), types.__getitem__, message, lambda *_: {}
    ).text()
    (tmp_path / 'robot.yaml').write_text(text)
    tool = Registry(load_config(tmp_path))['do']
    assert tool.skill.approve
    bounds = ('minimum', 'maximum', 'maxLength')
    schemas = tool.skill.args_schema['properties']
    assert {name: [each.get(key) for key in bounds] for name, each in schemas.items()} == {
        'level': [0, 255, None],
        'step': [-(2**15), 2**15 - 1, None],
        'code': [0, 255, None],
        'count': [0, None, None],
        'ticks': [None, None, None],
        'way': [None, None, None],
        'name': [None, None, 5],
        'note': [None, None, None],
    }
    assert tool.refuse_arguments({'level': 255, 'name': 'claws'}) is None
    for name, value in (('level', 300), ('count', -1), ('name', 'gripper')):
        refusal = known(tool.refuse_arguments({name: value}))
        assert refusal.sentence.startswith(f'Argument {name!r}: ')


def test_an_answer_that_names_its_numbers_is_read_by_them(tmp_path: Path) -> None:
    """A server may end a goal as succeeded, and say in its result that it has failed."""
    named = {'UNKNOWN': -1, 'SUCCESS': 0, 'PLANNING_FAILURE': 2, 'lower': 4}
    outcome: Shape = {'status': 'int32', 'message': 'string'}
    answer: Shape = {'outcome': outcome, 'count': 'int32'}
    types = {'a_msgs/action/Go': Interface({}, answer), 'a_msgs/srv/Ask': Interface({}, answer)}

    def constants(type_name: str, path: str) -> dict[str, int]:
        if path != 'outcome.status':
            return {}
        return named if '/action/' in type_name else {'FIRST': 0}

    found = LearnedRobot(
        Graph({'/ask': ('a_msgs/srv/Ask',)}, {'/go': ('a_msgs/action/Go',)}),
        types.__getitem__,
        message,
        constants,
    )
    codes = {-1: 'UNKNOWN', 0: '', 2: 'PLANNING_FAILURE'}
    reason = {'reason': 'outcome.message'}
    assert found.tools['go']['result'] == {**reason, 'code': 'outcome.status', 'codes': codes}
    assert found.tools['ask']['result'] == reason  # nothing says which number is the good one


@pytest.mark.parametrize(
    ('fields', 'named', 'codes', 'asked'),
    [
        (
            {'outcome': 'uint8', 'h': 'float'},
            {'DONE': 0, 'OVERLOAD': 3},
            {0: '', 3: 'OVERLOAD'},
            0,
        ),
        ({'outcome': 'uint8', 'h': 'float'}, {'FINE': 0, 'OVERLOAD': 3}, None, 1),
        ({'outcome': 'uint8', 'tries': 'int32'}, {'DONE': 0, 'OVERLOAD': 3}, None, 0),
        ({'status': 'uint8', 'tries': 'int32'}, {'OUTCOME_OK': 1}, {1: ''}, 0),
        ({'outcome': 'uint8'}, {}, None, 0),
    ],
)
def test_a_number_that_may_say_what_failed_is_read_or_asked_for(
    fields: Shape, named: dict[str, int], codes: dict[int, str] | None, asked: int
) -> None:
    """A lift that told OVERLOAD by the field `outcome` had succeeded."""
    types = {'a_msgs/action/Lift': Interface({}, fields)}
    found = LearnedRobot(
        Graph(actions={'/lift': ('a_msgs/action/Lift',)}),
        types.__getitem__,
        message,
        lambda _type, _path: named,
    )
    assert found.tools['lift'].get('result', {}).get('codes') == codes
    assert sum('the good one of FINE, OVERLOAD' in each for each in found.not_learned) == asked


@pytest.mark.parametrize(
    ('kind', 'fields', 'asked'),
    [
        ('TakeOff', {'result': 'uint8'}, 1),
        ('TakeOff', {'success': 'boolean', 'result': 'uint8'}, 0),
        ('GetState', {'state': 'uint8'}, 0),
    ],
)
def test_a_service_that_fails_by_nothing_but_its_number_is_asked_for(
    kind: str, fields: Shape, asked: int
) -> None:
    """A drone that answered DENIED had taken off."""
    found = LearnedRobot(
        Graph({'/drone': (f'a_msgs/srv/{kind}',)}),
        {f'a_msgs/srv/{kind}': Interface({}, fields)}.__getitem__,
        message,
        lambda _type, _path: {'ACCEPTED': 0, 'DENIED': 1},
    )
    assert sum('good one of ACCEPTED, DENIED' in each for each in found.not_learned) == asked


@pytest.mark.parametrize(
    ('topics', 'named'),
    [
        (['/truck/battery'], '/truck/battery'),
        (['/battery_state'], '/battery_state'),
        (['/left/battery', '/right/battery'], '/battery_state'),
        ([], '/battery_state'),
    ],
)
def test_the_one_battery_says_when_to_rest(topics: list[str], named: str, tmp_path: Path) -> None:
    services = {'/halt': ('std_srvs/srv/Trigger',), '/home': ('std_srvs/srv/Trigger',)}
    batteries = dict.fromkeys(topics, ('sensor_msgs/msg/BatteryState',))
    config = read(learned(services=services, topics=batteries).text(), tmp_path)
    assert config.topics.rover.battery_state.replace('//', '/') == named  # //: absolute


@pytest.mark.parametrize(
    ('name', 'stops'),
    [
        *((each, True) for each in ('stop', 'halt', 'estop', 'e_stop', 'emergency_stop')),
        *((each, True) for each in ('robot_stop', 'stop_motion', 'protective_stop', 'stop_all')),
        *((each, False) for each in ('estop_release', 'clear_estop', 'stop_motor', 'unstop')),
        *((each, False) for each in ('stop_recording', 'start_stop_logging', 'reset_halt')),
    ],
)
def test_only_what_stops_the_robot_is_its_stop(name: str, stops: bool) -> None:
    found = learned(services={f'/robot/{name}': ('std_srvs/srv/Trigger',)})
    assert (found.stop is not None) == stops
    assert (f'robot_{name}' in found.tools) != stops


def test_an_arm_is_moved_by_the_names_of_its_joints(tmp_path: Path) -> None:
    action = '/arm_controller/follow_joint_trajectory'
    point: Shape = {
        'positions': ListOf('sequence<double>', 'double'),
        'time_from_start': 'builtin_interfaces/Duration',
    }
    trajectory: Shape = {
        'joint_names': ListOf('sequence<string>', 'string'),
        'points': ListOf('sequence<JointTrajectoryPoint>', point),
    }
    answer: Shape = {'error_code': 'int32', 'error_string': 'string'}
    types = {TRAJECTORY: Interface({'trajectory': trajectory}, answer)}
    found = LearnedRobot(
        Graph(actions={action: (TRAJECTORY,)}, joints={action: ('shoulder', 'Elbow Joint')}),
        types.__getitem__,
        message,
        lambda *_: {'SUCCESSFUL': 0, 'INVALID_JOINTS': -2},
    )
    assert found.not_learned == []
    (tmp_path / 'robot.yaml').write_text(found.text())
    config = load_config(tmp_path)
    tool = Registry(config, lambda name: types.get(name) or installed(name))[
        'arm_controller_follow_joint_trajectory'
    ]
    assert [*tool.skill.args] == ['shoulder', 'elbow_joint', 'seconds']
    assert tool.skill.args_schema['required'] == ['shoulder', 'elbow_joint']
    assert tool.skill.constants['trajectory.joint_names[1]'] == 'Elbow Joint'
    assert tool.skill.result.codes == {-2: 'INVALID_JOINTS', 0: ''}
    assert tool.skill.gate


def test_a_turtle_is_learned_with_the_pose_of_its_own_message(tmp_path: Path) -> None:
    pose = dict.fromkeys(('x', 'y', 'theta', 'linear_velocity'), 'float')
    found = LearnedRobot(
        Graph(
            topics={
                '/a/pose': ('turtle_msgs/msg/Pose',),
                '/t/cmd_vel': ('geometry_msgs/msg/Twist',),
                '/t/goal_pose': ('geometry_msgs/msg/PoseStamped',),
                '/t/pose': ('turtle_msgs/msg/Pose',),
            },
            subscribed=frozenset({'/t/cmd_vel'}),
            only_subscribed=frozenset({'/t/cmd_vel', '/t/goal_pose'}),
        ),
        resolve,
        lambda _: pose,
        lambda *_: {},
    )
    config = read(found.text(), tmp_path)
    base = config.robot.gates['base']
    assert isinstance(base, VelocityGateSettings)
    assert isinstance(base.odom, PoseFields)
    assert (base.odom_topic, base.odom.yaw) == ('/t/pose', 'theta')
    assert {'drive', 'turn'} <= {*config.robot.tools}
    assert {'x_2', 'x'} & {*found.state} == set(), 'fields of two topics have the topic in front'


def test_state_is_what_is_published_and_the_rest_is_a_tool(tmp_path: Path) -> None:
    found = learned(
        topics={
            '/lamp': ('std_msgs/msg/UInt8',),
            '/land': ('std_msgs/msg/Empty',),
            '/vision/lamp': ('std_msgs/msg/UInt8',),
            '/script': ('std_msgs/msg/String',),
            '/one/mode': ('std_msgs/msg/String',),
            '/two/mode': ('std_msgs/msg/Float64',),
            '/clock': ('rosgraph_msgs/msg/Clock',),
        },
        only_subscribed=frozenset({'/lamp', '/land', '/vision/lamp', '/script'}),
        latched=frozenset({'/one/mode'}),
    )
    (tmp_path / 'robot.yaml').write_text(found.text())
    config = load_config(tmp_path)
    assert {'lamp', 'land'} == {*found.tools}
    assert found.tools['land']['description'] == 'Land: publish std_msgs/msg/Empty on /land.'
    assert 'topic /script: it takes a text, which nothing checks' in found.not_learned
    assert all(each['approve'] for each in found.tools.values())
    ages = {name: each.max_age_s for name, each in config.robot.from_topics.items()}
    assert ages == {'one_mode': LATCHED_S, 'two_mode': 2.0}
    assert config.executive.use_sim_time


def test_what_is_not_installed_and_what_is_cut_is_reported() -> None:
    many = {f'/b{number:02}': ('std_msgs/msg/Bool',) for number in range(MOST_FIELDS + 2)}
    found = learned(services={'/go': ('gone_msgs/srv/Go',)}, topics=many)
    assert found.not_installed == {'gone_msgs/srv/Go'}
    assert sum('more than 40 fields of state' in each for each in found.not_learned) == 2


def test_a_robot_without_a_stop_starts(tmp_path: Path) -> None:
    text = learned(services={'/arm/home': ('std_srvs/srv/Trigger',)}).text()
    assert stop_endpoints(read(text, tmp_path)) == (None, None)


@pytest.mark.slow
def test_a_large_graph_is_cut(tmp_path: Path) -> None:
    many = {f'/s{number}': ('std_srvs/srv/Trigger',) for number in range(MOST_TOOLS + 3)}
    found = learned(services=many)
    assert len(found.tools) == MOST_TOOLS
    assert len(found.not_learned) == 3
    read(found.text(), tmp_path)


NAMES = st.one_of(
    st.sampled_from(
        [
            '/a',
            '/a\ntools: {x: 1}',
            '/a b',
            '/"\'',
            '/{}',
            '/!!python/object:os.system',
            '/# x',
            '/wait',
            '/finish',
            '/a/B-c',
            '/x\u2028y: 1',
            '/' + 'a' * 300,
            '//',
            '',
        ]
    ),
    st.text(max_size=8),
)
KINDS = st.sampled_from([*TYPES, 'arm_msgs/msg/State', 'std_msgs/msg/Bool', 'a', 'x/srv/Y\n- z'])
FOUND = st.dictionaries(NAMES, st.lists(KINDS, max_size=2).map(tuple), max_size=4)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(FOUND, FOUND, FOUND, st.dictionaries(NAMES, NAMES, max_size=3))
def test_whatever_a_graph_says_is_data(
    services: Any, actions: Any, topics: Any, frames: Any
) -> None:
    found = learned(services=services, actions=actions, topics=topics, frames=frames)
    content = yaml.safe_load(found.text())
    assert {*content} <= {
        *('robot', 'frames', 'gates', 'topics', 'executive', 'state', 'guards', 'tools')
    }
    own = {'wait', 'speak', 'finish', 'abort', 'ask_operator'}
    assert not own & {*content.get('tools', ())}
    for tool in content.get('tools', {}).values():
        assert tool.get('approve') or tool.get('reads_only')
    assert found.text().isascii()


def test_a_base_without_transforms_has_the_frames_of_its_odometry(tmp_path: Path) -> None:
    found = learned(
        topics={
            '/b/cmd_vel': ('geometry_msgs/msg/TwistStamped',),
            '/b/odom': ('nav_msgs/msg/Odometry',),
            '/c/cmd_vel': ('geometry_msgs/msg/Twist',),
        },
        subscribed=frozenset({'/b/cmd_vel'}),
        frames={'laser': 'base'},
        odometry={'/b/odom': ('odom', 'base')},
    )
    config = read(found.text(), tmp_path)
    assert (config.topics.tf.world_frame, config.topics.tf.base_frame) == ('odom', 'base')
    base = config.robot.gates['base']
    assert isinstance(base, VelocityGateSettings)
    assert (base.velocity.passed, base.velocity.stamped) == ('/b/cmd_vel', True)
    assert config.robot.tools['drive'].approve


@pytest.mark.parametrize(
    ('velocities', 'odometry'),
    [
        ('/b/cmd_vel', '/b/odom'),
        ('/c/cmd_vel', '/c/wheels/filtered'),
        ('/cmd_vel', '/odom'),
        ('/d/cmd_vel', '/odom'),
    ],
)
def test_a_base_is_measured_by_its_own_odometry_among_several(
    tmp_path: Path, velocities: str, odometry: str
) -> None:
    topics = ('/a/odom', '/b/odom', '/c/wheels/filtered', '/odom')
    found = learned(
        topics={
            velocities: ('geometry_msgs/msg/Twist',),
            **dict.fromkeys(topics, ('nav_msgs/msg/Odometry',)),
        },
        subscribed=frozenset({velocities}),
        odometry={each: (f'odom{each}', f'base{each}') for each in topics},
    )
    config = read(found.text(), tmp_path)
    base = config.robot.gates['base']
    assert isinstance(base, VelocityGateSettings)
    assert base.odom == odometry
    assert config.topics.tf.base_frame == f'base{odometry}'


def test_what_is_an_executives_is_nothing_of_the_robot(tmp_path: Path) -> None:
    found = learned(
        services={
            '/r2/executive/reset': ('std_srvs/srv/Trigger',),
            '/lamp': ('std_srvs/srv/Trigger',),
        },
        actions={'/gates/base/turn': ('arm_msgs/action/Pick',)},
        topics={'/executive/heartbeat': ('std_msgs/msg/Bool',)},
    )
    assert ([*found.tools], found.gates, found.state) == (['lamp'], {}, {})
    read(found.text(), tmp_path)
