"""What runs already is named with what to do: a stack in the network, a rover in this graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import sys

from domains import next_domain
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
import pytest
import rclpy
from rclpy.node import Node
from spinning import spun_node
from tf2_msgs.msg import TFMessage
from warm import warm_run

from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.ros import graph_probe
from rover_common.ros.graph_probe import check_network, check_no_other_rover, nodes_meet
from rover_common.ros.node_topic_and_enclave_names import relative_name

pytestmark = pytest.mark.ros
NETWORK = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}  # what is asked; tests stay on this machine
IN_SPACE = ['--ros-args', '-r', '__ns:=/rover_9']


@pytest.fixture
def stranger() -> Iterator[Node]:
    context = rclpy.Context()
    rclpy.init(context=context)
    yield Node('executive', namespace='/rover_9', context=context)
    context.try_shutdown()


@pytest.mark.usefixtures('stranger')
def test_a_stack_in_the_network_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_probe, 'DISCOVERY_S', 20.0)  # however long discovery takes
    with pytest.raises(UsageError) as refusal:
        check_network(['rover', 'executive'], IN_SPACE, NETWORK)
    assert '/rover_9/executive run already in this network' in str(refusal.value)
    assert 'choose a namespace (with ros2 launch namespace:=' in str(refusal.value)


@pytest.mark.usefixtures('stranger')
def test_on_this_machine_alone_nobody_is_looked_for() -> None:
    check_network(['executive'], IN_SPACE, {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'})


TOPICS = load_config().topics
LOOK = """
from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.ros.graph_probe import check_no_other_rover
try:
    check_no_other_rover(load_config().topics, [])
except UsageError as error:
    print(error)
"""


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> int:
    number = next_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(number))
    return number


def refusal(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(graph_probe, 'ROVER_DISCOVERY_S', 60.0)  # however long discovery takes
    with pytest.raises(UsageError) as caught:
        check_no_other_rover(TOPICS, [])
    return str(caught.value)


def test_who_publishes_odometry_is_named(domain: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with spun_node('ros_gz_bridge', domain) as node:
        node.create_publisher(Odometry, relative_name(TOPICS.rover.odometry), 10)
        words = refusal(monkeypatch)
    assert f'/ros_gz_bridge publishes {TOPICS.rover.odometry}' in words
    assert 'curiosity.launch.py' in words
    assert '--no-rover' in words


@pytest.mark.usefixtures('domain')
def test_nodes_meet_unless_their_environment_separates_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(graph_probe, 'MEETING_S', 60.0)  # however long discovery takes
    assert nodes_meet()
    monkeypatch.setattr(graph_probe, 'MEETING_S', 0.3)
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'OFF')
    assert not nodes_meet()


def test_a_home_without_room_for_logs_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / '.ros').touch()  # no folder, so none can be made in it
    monkeypatch.setenv('HOME', str(tmp_path))
    for name in ('ROS_LOG_DIR', 'ROS_HOME'):
        monkeypatch.delenv(name, raising=False)
    told = warm_run(
        [sys.executable, '-c', LOOK], capture_output=True, text=True, timeout=60, check=False
    )
    assert 'Make that folder, or name one that can be written in ROS_LOG_DIR.' in told.stdout
    assert 'Traceback' not in told.stderr


def test_who_moves_the_same_frame_is_named(domain: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with spun_node('odom_tf_publisher', domain) as node:
        publisher = node.create_publisher(TFMessage, 'tf', 10)
        moved = TransformStamped(child_frame_id=f'/{TOPICS.tf.base_frame}')
        node.create_timer(0.05, lambda: publisher.publish(TFMessage(transforms=[moved])))
        words = refusal(monkeypatch)
    assert '/odom_tf_publisher publishes /tf' in words


def test_transforms_of_other_things_are_no_rover(
    domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_probe, 'ROVER_DISCOVERY_S', 0.5)
    with spun_node('map_server', domain) as node:
        publisher = node.create_publisher(TFMessage, 'tf', 10)
        moved = TransformStamped(child_frame_id=TOPICS.tf.world_frame)
        node.create_timer(0.05, lambda: publisher.publish(TFMessage(transforms=[moved])))
        check_no_other_rover(TOPICS, [])


def test_a_rover_in_another_namespace_is_no_matter(
    domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_probe, 'ROVER_DISCOVERY_S', 0.5)
    with spun_node('ros_gz_bridge', domain) as node:
        node.create_publisher(Odometry, relative_name(TOPICS.rover.odometry), 10)
        check_no_other_rover(TOPICS, ['--ros-args', '-r', '__ns:=/rover_2'])
