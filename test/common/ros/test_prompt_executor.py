"""The executor serves everything; notices of foreign endpoints come a little later."""

from __future__ import annotations

from collections.abc import Iterator
import gc
import math

import pytest
import rclpy
from rclpy.context import Context
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from spinning import turn_of
from std_msgs.msg import String
from waiting import wait_until

from rover_common.ros.prompt_executor import PromptExecutor

pytestmark = pytest.mark.ros
BOUND_S = 60.0
OFFERED = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
WANTED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


@pytest.fixture
def node() -> Iterator[Node]:
    context = Context()
    rclpy.init(context=context)
    node = Node('listener', context=context)
    yield node
    node.destroy_node()
    context.try_shutdown()


@pytest.fixture
def executor(node: Node) -> Iterator[PromptExecutor]:
    executor = PromptExecutor(context=node.context)
    executor.add_node(node)
    yield executor
    executor.shutdown()


def spin(executor: PromptExecutor, done: list[object]) -> None:
    wait_until(lambda: done, meanwhile=turn_of(executor))


def test_a_notice_of_an_incompatible_publisher_arrives_at_any_time(
    node: Node, executor: PromptExecutor
) -> None:
    notices: list[object] = []
    node.create_subscription(
        String,
        'talk',
        lambda _: None,
        WANTED,
        event_callbacks=SubscriptionEventCallbacks(incompatible_qos=notices.append),
    )
    for _ in range(2):  # also after it was asked for once
        publisher = node.create_publisher(String, 'talk', OFFERED)
        spin(executor, notices)
        assert notices
        notices.clear()
        node.destroy_publisher(publisher)


def test_messages_come_without_waiting_for_notices(node: Node) -> None:
    executor = PromptExecutor(context=node.context, notices_period_s=math.inf)
    executor.add_node(node)
    heard: list[object] = []
    node.create_subscription(String, 'talk', heard.append, WANTED)
    publisher = node.create_publisher(String, 'talk', WANTED)
    assert list(node.waitables)
    assert all(executor.can_execute(each) for each in node.waitables)
    assert not any(executor.can_execute(each) for each in node.waitables)
    publisher.publish(String())
    spin(executor, heard)
    assert heard
    executor.shutdown()


def test_endpoints_that_have_gone_are_forgotten(node: Node, executor: PromptExecutor) -> None:
    publisher = node.create_publisher(String, 'talk', OFFERED)
    assert all(executor.can_execute(each) for each in node.waitables)
    lasting = len(executor.notices_asked_for)
    node.destroy_publisher(publisher)
    del publisher
    gc.collect()
    assert len(executor.notices_asked_for) < lasting
