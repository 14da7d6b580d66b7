"""Reading the graph over real DDS: what is there, one message, and names that are only data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from known import known
import pytest
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Image
from spinning import spun_node
from std_msgs.msg import String
from std_srvs.srv import Trigger
from waiting import wait_until

from bt_executive.core.executive_ports import ToolResult
from bt_executive.ros.graph_reader import LONGEST_MESSAGE, RosGraphReader

pytestmark = pytest.mark.ros


@pytest.fixture
def node() -> Iterator[Node]:
    with spun_node('graph_reader_test') as made:
        yield made


@pytest.fixture
def reader(node: Node) -> RosGraphReader:
    return RosGraphReader(node, lambda: None)


@pytest.fixture
def read(reader: RosGraphReader) -> Callable[..., ToolResult]:
    def result_of(what: str, topic: str = '') -> ToolResult:
        reading = reader.read(what, topic)
        result = wait_until(lambda: reading.result)
        reading.cancel()
        return known(result)

    return result_of


def test_lists_nodes_topics_and_services_with_types(
    node: Node, read: Callable[..., ToolResult]
) -> None:
    node.create_publisher(String, '/talk', 1)
    node.create_service(Trigger, '/ping', lambda _request, response: response)
    assert '/graph_reader_test' in read('list_nodes').data['nodes']
    assert '/talk (std_msgs/msg/String)' in read('list_topics').data['topics']
    services = read('list_services').data['services']
    assert '/ping (std_srvs/srv/Trigger)' in services
    assert not [each for each in services if 'parameter' in each]


def test_reads_a_latched_message(node: Node, read: Callable[..., ToolResult]) -> None:
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_publisher(String, '/talk', latched).publish(String(data='<b>{hello}'))
    data = read('read_topic', '/talk').data
    assert data == {
        'topic': '/talk',
        'type': 'std_msgs/msg/String',
        'message': '{"data": "<b>{hello}"}',
    }


def test_a_big_message_is_cut(node: Node, read: Callable[..., ToolResult]) -> None:
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_publisher(String, '/talk', latched).publish(String(data='x' * 100_000))
    data = read('read_topic', '/talk').data
    assert data['cut'] is True
    assert len(data['message']) == LONGEST_MESSAGE


def test_pixels_are_not_told(node: Node, read: Callable[..., ToolResult]) -> None:
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    picture = Image(width=640, height=480, data=bytes(640 * 480))
    node.create_publisher(Image, '/picture', latched).publish(picture)
    assert '307200 values' in read('read_topic', '/picture').data['message']


@pytest.mark.parametrize(
    'name', ['/nobody', '', '/talk; reboot', '$(reboot)', '../talk', '/' * 99]
)
def test_a_name_that_is_not_in_the_graph_is_refused(
    node: Node, read: Callable[..., ToolResult], name: str
) -> None:
    node.create_publisher(String, '/talk', 1)
    result = read('read_topic', name)
    assert not result.ok
    assert result.error_reason.startswith('No topic')


def test_a_silent_topic_gives_nothing_and_leaves_no_subscription(
    node: Node, reader: RosGraphReader
) -> None:
    node.create_publisher(String, '/talk', 1)
    reading = reader.read('read_topic', '/talk')
    wait_until(lambda: node.count_subscribers('/talk') == 1)
    assert reading.result is None
    reading.cancel()
    wait_until(lambda: node.count_subscribers('/talk') == 0)
    assert reading.result is None
