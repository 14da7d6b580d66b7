"""State from topics over ROS: types from the graph, late publishers, and the stop at once."""

from __future__ import annotations

from collections.abc import Callable
import math
import time
from typing import Any

import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Bool, String
from waiting import wait_until

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import TopicReceived
from bt_executive.ros.configured_state_subscriptions import TopicState
from rover_common.config.load import load_config
from rover_common.ros.qos import LATCHED

pytestmark = pytest.mark.ros


class Stage:
    """A robot with one field of state, and what is put into its inbox."""

    def __init__(self, executor: Executor, **keys: Any) -> None:
        self.executor, self.inbox, self.stops = executor, Inbox(), 0
        self.node = Node('listener', context=executor.context)
        entry = {'topic': '/estop', 'field': 'data', **keys}
        config = load_config(None, [f'robot.state.estop={entry}', 'robot.safe_when.estop=true'])
        self.state = TopicState(self.node, self.inbox, config.robot, self._stop)
        executor.add_node(self.node)

    def _stop(self) -> None:
        self.stops += 1

    def publisher(self, kind: type) -> Any:
        return self.node.create_publisher(kind, 'estop', LATCHED)

    def next(self, meanwhile: Callable[[], None] = lambda: None) -> TopicReceived:
        def spin() -> None:
            meanwhile()
            self.executor.spin_once(timeout_sec=0.05)

        (seen,) = wait_until(
            lambda: [each for each in self.inbox.drain() if isinstance(each, TopicReceived)],
            meanwhile=spin,
        )
        return seen

    def wait_for(self, reason: str) -> None:
        """Waits until the field is not known for this reason."""
        wait_until(lambda: reason in self.next().unknown.get('estop', ''))


def publish_beside(executor: Executor, kind: type) -> None:
    """Offers the topic in another context: in each, one process has one type of a topic."""
    node = Node('other', context=executor.context)
    node.create_publisher(kind, 'estop', LATCHED)
    executor.add_node(node)


def test_a_latched_message_of_a_late_publisher_is_read(
    own_executor: Callable[[], Executor],
) -> None:
    stage = Stage(own_executor())
    assert stage.next().unknown == {'estop': 'nothing publishes /estop'}
    publisher = stage.publisher(Bool)
    publisher.publish(Bool(data=False))
    assert stage.next().values == {'estop': False}
    assert stage.stops == 0
    publisher.publish(Bool(data=True))
    assert stage.next().values == {'estop': True}
    assert stage.stops == 1


@pytest.mark.parametrize(
    ('kinds', 'named', 'reason'),
    [
        ([Bool, String], None, '/estop has several types: std_msgs/msg/Bool, std_msgs/msg/String'),
        ([String], 'std_msgs/msg/Bool', '/estop is std_msgs/msg/String, not std_msgs/msg/Bool'),
        ([Bool, Bool], None, '2 publishers on /estop (/other, /other): let only one publish'),
    ],
)
def test_a_topic_of_another_type_is_not_read(
    own_executor: Callable[[], Executor], kinds: list[type], named: str | None, reason: str
) -> None:
    stage = Stage(own_executor(), **({'type': named} if named else {}))
    for kind in kinds:
        publish_beside(own_executor(), kind)
    stage.wait_for(reason)


@pytest.mark.parametrize(
    ('kind', 'stays', 'reason'),
    [
        (String, True, '/estop has several types: std_msgs/msg/Bool, std_msgs/msg/String'),
        (String, False, '/estop is std_msgs/msg/String, not std_msgs/msg/Bool'),
        (Bool, True, '2 publishers on /estop'),
    ],
)
def test_what_was_read_is_not_known_when_something_else_is_offered(
    own_executor: Callable[[], Executor], kind: type, stays: bool, reason: str
) -> None:
    named = {} if stays else {'type': 'std_msgs/msg/Bool'}
    stage = Stage(own_executor(), max_age_s=1e6, **named)
    publisher = stage.publisher(Bool)
    publisher.publish(Bool(data=False))
    wait_until(lambda: stage.next().values == {'estop': False})
    if not stays:
        stage.node.destroy_publisher(publisher)
    publish_beside(own_executor(), kind)
    stage.wait_for(reason)
    assert stage.stops == 1


def test_a_topic_that_this_process_has_under_another_type_is_not_read(
    own_executor: Callable[[], Executor],
) -> None:
    stage = Stage(own_executor())
    stage.node.create_subscription(String, 'estop', lambda _message: None, 1)
    publish_beside(own_executor(), Bool)
    stage.wait_for('/estop is std_msgs/msg/Bool, and this process has it as std_msgs/msg/String')


def test_a_publisher_that_has_gone_leaves_nothing_known(
    own_executor: Callable[[], Executor],
) -> None:
    stage = Stage(own_executor(), max_age_s=1e6)
    publisher = stage.publisher(Bool)
    publisher.publish(Bool(data=False))
    wait_until(lambda: stage.next().values == {'estop': False})
    stage.node.destroy_publisher(publisher)
    assert stage.next().unknown == {'estop': 'nothing publishes /estop'}
    assert stage.stops == 1
    stage.publisher(Bool).publish(Bool(data=False))
    assert stage.next().values == {'estop': False}


def test_only_a_newer_measurement_is_read(own_executor: Callable[[], Executor]) -> None:
    stage = Stage(own_executor(), field='percentage', max_age_s=5.0)
    publisher = stage.publisher(BatteryState)
    seen: list[TopicReceived] = []
    for stamp, percentage in ((20, 0.5), (20, 0.6), (19, 0.7), (21, math.nan), (22, 0.8)):
        message = BatteryState(percentage=percentage)
        message.header.stamp.sec = 1_700_000_000 + stamp
        publisher.publish(message)
        if stamp > 20 or not seen:
            seen.append(stage.next())
            while not (seen[-1].values or 'nan' in seen[-1].unknown.get('estop', '')):
                seen.append(stage.next())
        else:  # nothing shows that it was left out but what comes next
            publisher.wait_for_all_acked()
            for _ in range(5):
                stage.executor.spin_once(timeout_sec=0.01)
    received = [each.values.get('estop') for each in seen if each.values]
    assert received == [pytest.approx(0.5), pytest.approx(0.8)]
    assert seen[-1].at < time.monotonic() - 5.0  # its stamp is years old, so the value is
