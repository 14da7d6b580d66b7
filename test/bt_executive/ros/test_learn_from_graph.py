"""`learn` reads a live graph and writes what starts; `check` says what of it runs."""

from __future__ import annotations

from contextlib import nullcontext
import math
from pathlib import Path
import resource
import time

from bt_executive_interfaces.action import NavigateToPose
from bt_executive_interfaces.msg import AdapterStatus
from diff_drive import DiffDrive
from domains import next_domain
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
import pytest
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import BatteryState
from spinning import spun_node
from std_msgs.msg import Bool, UInt8
from std_srvs.srv import Trigger

from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.launching.start_checks import are_good, start_findings
from bt_executive.ros import learn_from_graph
from bt_executive.ros.executive_start_check import check_executive
from bt_executive.ros.learn_from_graph import learn
from bt_executive.ros.live_check import battery_finding, live_findings
from bt_executive.skills.learned_graph import Graph
from rover_common.config.load import load_config
from rover_common.errors import ConfigError, UsageError
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.message_conversions import seconds_to_ros
from rover_common.ros.qos import LATCHED

pytestmark = pytest.mark.ros


@pytest.fixture(autouse=True)
def _a_graph_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests have killed is in their graph for a while: it would be learned, too."""
    monkeypatch.setenv('ROS_DOMAIN_ID', str(next_domain()))


def ignore(_message: object) -> None:
    """A subscriber; rclpy of Python 3.10 takes no built-in function for one."""


def test_a_base_is_learned_from_its_graph(tmp_path: Path) -> None:
    folder = tmp_path / 'base'
    with spun_node('vision_driver') as node:  # its name begins as that of a node of ours
        base = DiffDrive(context=node.context)
        node.create_service(Trigger, '/dock', lambda _, response: response)
        node.create_publisher(BatteryState, '/battery', 1)
        executor = node.executor
        assert isinstance(executor, LowLatencyExecutor)
        executor.add_node(base)
        said = learn(folder, ())
        found = live_findings(load_config(folder), ())
        executor.remove_node(base)
        base.destroy_node()
    faults = {each.title: each.text for each in found if each.remedy is not None}
    assert faults == {'state charge': 'not known'}  # nothing was published
    assert are_good(found), 'and nothing asks for it'
    words = {each.title: each.text for each in found}
    assert words['tool dock'] == 'there'
    assert words['pose'] == 'by transforms, odom -> base_footprint'
    assert 'by odometry; it stood before' in words['stop of the base']
    assert '3 tools, 1 fields of state, gates: base' in said
    assert said.endswith(f'then `bt-executive up --config {folder}`')
    config = load_config(folder)
    check_executive(config)
    tools = config.robot.tools
    assert [tools[name].approve for name in ('dock', 'drive', 'turn')] == [True] * 3
    assert config.topics.tf.base_frame == 'base_footprint'
    with pytest.raises(UsageError, match='exists: name another folder'):
        learn(folder, ())


def test_beside_a_running_system_the_robot_alone_is_learned(tmp_path: Path) -> None:
    with spun_node('driver') as robot, spun_node('gates') as gates, spun_node('viewer') as viewer:
        robot.create_service(Trigger, '/halt', lambda _, response: response)
        robot.create_subscription(Twist, '/cmd_vel', ignore, 1)
        robot.create_publisher(Odometry, '/odom', 1)
        gates.create_service(Trigger, '/adapter/stop', lambda _, response: response)
        gates.create_publisher(Twist, '/cmd_vel', 1)
        gates.create_publisher(AdapterStatus, '/adapter/status', LATCHED)
        viewer.create_subscription(AdapterStatus, '/adapter/status', ignore, LATCHED)
        drive = ActionClient(gates, NavigateToPose, '/adapter/navigate_to_pose')
        learn(tmp_path, ())
        drive.destroy()
    config = load_config(tmp_path)
    check_executive(config)
    assert {each.name for each in stop_endpoints(config) if each} == {'/adapter/stop', '/halt'}
    assert {*config.robot.tools} >= {'drive', 'turn'}
    assert not config.robot.from_topics
    assert not [each for each in config.robot.tools if 'adapter' in each]
    assert [*config.robot.gates] == ['base']


def test_a_standstill_is_not_confirmed_by_odometry_of_two(tmp_path: Path) -> None:
    """Gates take nothing of it, so nothing would ever move."""
    (tmp_path / 'robot.yaml').write_text(
        'frames: { world: odom, base: base_footprint }\n'
        'gates: { base: { velocity: { in: /wanted, out: /cmd_vel }, odom: /odom } }\n'
        'tools: { drive: { gate: base, motion: straight } }\n'
    )
    with spun_node('driver') as node:
        node.create_subscription(Twist, '/cmd_vel', ignore, 1)
        made = [node.create_publisher(Odometry, '/odom', qos_profile_sensor_data) for _ in 'ab']
        node.create_timer(0.05, lambda: [each.publish(Odometry()) for each in made])
        found = live_findings(load_config(tmp_path), ())
    texts = {each.text: each.remedy for each in found if each.is_fault}
    two = 'odometry is not known: 2 publishers on /odom (/driver, /driver)'
    assert (texts[two] or '').startswith('let only one publish there')
    assert 'not confirmed in 3 s' in texts


def test_a_node_of_the_robot_may_be_called_as_one_of_ours(tmp_path: Path) -> None:
    with spun_node('vision') as robot:
        robot.create_service(Trigger, '/vision/focus', lambda _, response: response)
        robot.create_publisher(Bool, '/sees_a_person', 1)
        learn(tmp_path, ())
    found = load_config(tmp_path).robot
    assert [each for each in found.tools if 'focus' in each]
    assert [*found.from_topics] == ['sees_a_person']


def test_who_is_not_heard_for_its_qos_or_tells_late_or_in_percent_is_named(tmp_path: Path) -> None:
    (tmp_path / 'robot.yaml').write_text(
        'frames: { world: odom, base: base_footprint }\n'
        'gates: { base: { velocity: { in: /wanted, out: /cmd_vel }, odom: /odom } }\n'
        'tools:\n'
        '  lamp: { topic: { name: /lamp, type: std_msgs/msg/UInt8 }, args: { level: data } }\n'
        '  horn: { topic: { name: /horn, type: std_msgs/msg/UInt8 }, args: { level: data } }\n'
        '  bell: { topic: { name: /bell, type: std_msgs/msg/UInt8 }, args: { level: data } }\n'
        'state: { volts: { topic: /battery_state, field: volts } }\n'
    )
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    with spun_node('driver') as node:
        node.create_publisher(Twist, '/wanted', qos_profile_sensor_data)
        node.create_subscription(Twist, '/cmd_vel', ignore, latched)
        node.create_subscription(UInt8, '/lamp', ignore, latched)
        node.create_subscription(UInt8, '/horn', ignore, 1)
        node.create_subscription(Bool, '/bell', ignore, 1)
        odometry = node.create_publisher(Odometry, '/odom', qos_profile_sensor_data)
        battery = node.create_publisher(BatteryState, '/battery_state', qos_profile_sensor_data)

        def publish() -> None:
            message = Odometry(child_frame_id='base_footprint')
            message.header.frame_id = 'odom'
            message.header.stamp = seconds_to_ros(time.time() - 9.0)
            odometry.publish(message)
            battery.publish(BatteryState(percentage=83.0))

        node.create_timer(0.05, publish)
        found = live_findings(load_config(tmp_path), ())
    faults = {each.text.partition(':')[0] for each in found if each.remedy is not None}
    assert {'driver on /wanted is not received', '/cmd_vel does not reach the base'} <= faults
    assert {each.title for each in found if each.remedy} >= {'tool lamp', 'gate base'}
    assert {each.text for each in found if each.title == 'tool horn'} == {'somebody listens'}
    remedies = {each.title: each.remedy or '' for each in found}
    assert remedies['tool bell'] == 'name this type, not std_msgs/msg/UInt8'
    assert "no field 'volts'" in remedies['state volts']
    assert remedies['state volts'].endswith('/battery_state, or correct robot.yaml')
    assert len([each for each in found if each.is_fault and 'old by its stamps' in each.text]) == 1
    assert [each.remedy for each in found if each.title == 'battery'] == [
        'the battery reports percentage 83; sensor_msgs/BatteryState has a fraction from 0 to 1 '
        'there, so its driver must be mended'
    ]


@pytest.mark.parametrize(
    ('percentage', 'words', 'is_fault'),
    [(0.83, '83 %', False), (0.0, '0 %', False), (math.nan, 'not known', False)]
    + [(each, 'not known', True) for each in (83.0, -0.5, math.inf)],
)
def test_a_charge_is_a_fraction(percentage: float, words: str, is_fault: bool) -> None:
    found = battery_finding(percentage)
    assert (found.text, found.is_fault) == (words, is_fault)


def test_what_up_refuses_check_and_doctor_refuse() -> None:
    config = load_config(None, ['guards.stop_endpoint=adapter.nothing'])
    checks = {'executive': 'bt_executive.ros.executive_start_check:check_executive', 'memory': ''}
    (found,) = start_findings(config, checks)
    with pytest.raises(ConfigError) as refused:
        check_executive(config)
    assert found.remedy == str(refused.value).rstrip('.')


def test_a_robot_that_does_not_run_has_nothing_of_its_file() -> None:
    robot = 'robot.state.estop={topic: /estop, field: data}'
    found = live_findings(load_config(None, [robot, 'robot.safe_when={estop: true}']), ())
    assert 'state estop' in {each.title for each in found if each.is_fault}
    faults = {each.title: each.text for each in found if each.remedy is not None}
    assert faults['state estop'] == 'not known'
    assert faults['tool move_forward'] == '/adapter/move_forward is not there'
    assert faults['pose'] == 'odom -> base_footprint is not known'


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = Graph({'/lamp': ('std_srvs/srv/Trigger',)})
    monkeypatch.setattr(learn_from_graph, 'short_lived_node', lambda *_: nullcontext())
    monkeypatch.setattr(learn_from_graph, '_graph', lambda _: graph)
    file = tmp_path / 'robot'
    file.touch()
    with pytest.raises(UsageError, match=r'robot/robot\.yaml cannot be written \(.+\): name ano'):
        learn(file, ())


def test_a_full_disk_leaves_no_part_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last tool could lack `approve`."""
    graph = Graph({'/lamp': ('std_srvs/srv/Trigger',)})
    monkeypatch.setattr(learn_from_graph, 'short_lived_node', lambda *_: nullcontext())
    monkeypatch.setattr(learn_from_graph, '_graph', lambda _: graph)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(UsageError, match='cannot be written'):
            learn(tmp_path, ())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not [*tmp_path.iterdir()]
