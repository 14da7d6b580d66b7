"""The executive reads pictures while a goal is under way; at rest no camera draws for it."""

from __future__ import annotations

from collections.abc import Callable
import itertools
import os

from own_executor import own_executor as own_executor
import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from sensor_msgs.msg import CompressedImage
from spinning import turn_of
from waiting import wait_until

from bt_executive.ros import executive_subscriptions
from bt_executive.ros.executive_subscriptions import ScoredPictures

pytestmark = pytest.mark.ros
_numbers = itertools.count(os.getpid())


@pytest.mark.parametrize('resumed', [False, True])
def test_pictures_are_read_from_a_goals_acceptance_to_a_while_after_its_end(
    own_executor: Callable[[], Executor], monkeypatch: pytest.MonkeyPatch, resumed: bool
) -> None:
    monkeypatch.setattr(executive_subscriptions, 'POLL_PERIOD_S', 0.02)
    monkeypatch.setattr(executive_subscriptions, 'LINGER_S', 0.1)
    executor, topic = own_executor(), f'pictures_{next(_numbers)}'
    node = Node('executive', context=executor.context)
    camera = node.create_publisher(CompressedImage, topic, 1)
    executor.add_node(node)
    goals, seen = ['go'] if resumed else [], list[bytes]()
    pictures = ScoredPictures(node, topic, lambda _, jpeg: seen.append(jpeg), lambda: bool(goals))

    def turn() -> None:
        if goals:
            camera.publish(CompressedImage(data=b'jpeg'))
        turn_of(executor)()

    if not resumed:
        assert not node.count_subscribers(topic)
        goals.append('go')
        pictures.begin()
    wait_until(lambda: len(seen) > 1, 'pictures', meanwhile=turn)
    assert node.count_subscribers(topic) == 1
    goals.clear()
    wait_until(lambda: not node.count_subscribers(topic), 'nobody reads them', meanwhile=turn)
    goals.append('again')
    pictures.begin()
    seen.clear()
    wait_until(lambda: seen, 'pictures of the next goal', meanwhile=turn)
