"""Keep-out zones from the topic, on their way into the inbox."""

from __future__ import annotations

from collections.abc import Iterator
import time

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from bt_executive.config import load_config
from bt_executive.inbox import Inbox, ZonesSeen
from bt_executive.ros.telemetry import Telemetry
from bt_executive.settings import KeepOutZone

LATCHED = QoSProfile(depth=2, durability=DurabilityPolicy.TRANSIENT_LOCAL)
pytestmark = pytest.mark.ros

PIT = KeepOutZone(name='pit', polygon=((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)))
TOLD = '[{"name": "pit", "polygon": [[0, 0], [1, 0], [1, 1]]}]'


@pytest.fixture
def node() -> Iterator[Node]:
    rclpy.init()
    made = Node('listener')
    yield made
    made.destroy_node()
    rclpy.shutdown()


def test_zones_are_taken_and_what_is_none_is_not(node: Node) -> None:
    inbox, heard = Inbox(), []
    teller = node.create_publisher(String, 'keep_out_zones', LATCHED)
    Telemetry(node, inbox, load_config().topics)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    deadline = time.monotonic() + 10.0
    while not heard:
        assert time.monotonic() < deadline
        teller.publish(String(data='no list'))
        teller.publish(String(data=TOLD))
        executor.spin_once(timeout_sec=0.05)
        heard += [event for event in inbox.drain() if isinstance(event, ZonesSeen)]
    assert heard[0] == ZonesSeen((PIT,))
