"""A topic is subscribed to from when it is wanted to a while after it was wanted last."""

from __future__ import annotations

from collections.abc import Callable
import itertools
import os

from own_executor import own_executor as own_executor
import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from spinning import turn_of
from std_msgs.msg import String
from waiting import wait_until

from rover_common.ros import polled_and_on_demand_subscriptions
from rover_common.ros.polled_and_on_demand_subscriptions import SubscriptionOnDemand

pytestmark = pytest.mark.ros
KEPT_S = 5.0
_numbers = itertools.count(os.getpid())


class Time:
    """Steady time, which a test passes."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


def test_it_lasts_from_the_first_wish_to_a_while_after_the_last(
    own_executor: Callable[[], Executor], monkeypatch: pytest.MonkeyPatch
) -> None:
    time = Time()
    monkeypatch.setattr(polled_and_on_demand_subscriptions, 'time', time)
    executor, topic = own_executor(), f'texts_{next(_numbers)}'
    node = Node('reader', context=executor.context)
    executor.add_node(node)
    seen: list[str] = []
    texts = SubscriptionOnDemand(
        node, String, topic, lambda each: seen.append(each.data), QoSProfile(depth=1), KEPT_S
    )
    texts.update()
    assert not node.count_subscribers(topic)
    assert not texts.is_offered

    publisher = node.create_publisher(String, topic, 1)
    wait_until(lambda: texts.is_offered, 'somebody publishes')
    texts.request()
    assert texts.subscribed_at is None, 'another thread may request it'
    texts.update()
    assert texts.subscribed_at == time.now

    def publish() -> None:
        publisher.publish(String(data='a text'))
        turn_of(executor)()

    wait_until(lambda: seen, 'a message', meanwhile=publish)
    began = texts.subscribed_at
    for _ in range(3):  # wanted again and again
        time.now += KEPT_S - 0.1
        texts.subscribe()
        assert texts.subscribed_at == began
    time.now += KEPT_S
    texts.update()
    assert texts.subscribed_at is None
    wait_until(lambda: not node.count_subscribers(topic), 'it is ended')
    texts.subscribe()
    assert texts.subscribed_at == time.now
