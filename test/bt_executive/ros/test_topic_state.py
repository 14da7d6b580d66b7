"""State from topics over ROS: types from the graph, late publishers, and the stop at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from std_msgs.msg import Bool, String
from waiting import wait_until

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import TopicSeen
from bt_executive.ros.topic_state import TopicState
from rover_common.config.load import load_config
from rover_common.ros.latched import LATCHED

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

    def next(self, meanwhile: Callable[[], None] = lambda: None) -> TopicSeen:
        def spin() -> None:
            meanwhile()
            self.executor.spin_once(timeout_sec=0.05)

        (seen,) = wait_until(
            lambda: [each for each in self.inbox.drain() if isinstance(each, TopicSeen)],
            meanwhile=spin,
        )
        return seen


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
        ([String], 'std_msgs/msg/Bool', '/estop is std_msgs/msg/String, not std_msgs/msg/Bool'),
    ],
)
def test_a_topic_of_another_type_is_not_read(
    own_executor: Callable[[], Executor], kinds: list[type], named: str | None, reason: str
) -> None:
    stage = Stage(own_executor(), **({'type': named} if named else {}))
    for each in kinds:
        stage.publisher(each)

    def came() -> bool:
        return reason in stage.next().unknown.get('estop', '')

    wait_until(came)
