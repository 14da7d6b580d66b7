"""Reading the graph over real DDS: what is there, one message, and names that are only data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from known import known
import pytest
from rclpy.node import Node
from sensor_msgs.msg import Image
from spinning import spun_node
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger
from waiting import wait_until

from bt_executive.core.executive_ports import ToolResult
from bt_executive.ros.graph_reader import LONGEST_MESSAGE, RosGraphReader
from rover_common.ros.qos import LATCHED

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


def test_a_latched_message_is_read_and_a_big_one_is_cut(
    node: Node, read: Callable[..., ToolResult]
) -> None:
    talk = node.create_publisher(String, '/talk', LATCHED)
    talk.publish(String(data='<b>{hello}'))
    told = {'topic': '/talk', 'type': 'std_msgs/msg/String'}
    assert read('read_topic', '/talk').data == told | {'message': '{"data": "<b>{hello}"}'}
    talk.publish(String(data='x' * 100_000))
    cut = read('read_topic', '/talk').data
    assert (cut['cut'], len(cut['message'])) == (True, LONGEST_MESSAGE)
    picture = Image(width=640, height=480, data=bytes(640 * 480))
    node.create_publisher(Image, '/picture', LATCHED).publish(picture)
    assert '307200 values' in read('read_topic', '/picture').data['message'], 'no pixels are told'


def test_a_name_that_is_not_in_the_graph_is_refused(
    node: Node, read: Callable[..., ToolResult]
) -> None:
    node.create_publisher(String, '/talk', 1)
    for name in ('/nobody', '', '/talk; reboot', '$(reboot)', '../talk', '/' * 99):
        result = read('read_topic', name)
        assert not result.ok, name
        assert result.error_reason.startswith('No topic')


def test_a_type_that_this_process_cannot_have_beside_its_own_is_refused(
    node: Node, read: Callable[..., ToolResult]
) -> None:
    node.create_subscription(String, '/talk', lambda _message: None, 1)
    with spun_node('other') as other:
        other.create_publisher(Bool, '/talk', 1)
        wait_until(lambda: node.count_publishers('/talk') == 1)
        result = read('read_topic', '/talk')
    assert not result.ok
    assert '/talk is std_msgs/msg/Bool' in result.error_reason
    assert 'this process has it as std_msgs/msg/String' in result.error_reason
    assert read('list_nodes').ok, 'it still serves'


def test_a_topic_is_read_as_it_is_published_and_not_as_somebody_wants_it(
    node: Node, read: Callable[..., ToolResult]
) -> None:
    with spun_node('other') as other:
        other.create_subscription(Bool, '/talk', lambda _message: None, 1)
        wait_until(lambda: node.count_subscribers('/talk') == 1)
        node.create_publisher(String, '/talk', LATCHED).publish(String(data='hello'))
        assert read('read_topic', '/talk').data['message'] == '{"data": "hello"}'


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
