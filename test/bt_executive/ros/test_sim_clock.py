"""A node that waits for simulated time, and one that must not."""

from __future__ import annotations

from collections.abc import Iterator
import os
import threading
import time

import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock

from bt_executive.ros.simulated_clock import wait_for_clock

pytestmark = pytest.mark.ros


@pytest.fixture
def simulated() -> Iterator[Node]:
    """A node on simulated time; its clock has a name of its own."""
    rclpy.init(args=['--ros-args', '-r', f'/clock:=/clock_{os.getpid()}'])
    made = Node('simulated', parameter_overrides=[Parameter('use_sim_time', value=True)])
    try:
        yield made
    finally:
        made.destroy_node()
        rclpy.shutdown()


def test_the_first_time_is_waited_for(simulated: Node) -> None:
    world, over = Node('world'), threading.Event()
    ticks = world.create_publisher(Clock, '/clock', 1)

    def run() -> None:
        message = Clock()
        message.clock.sec = 54
        while not over.wait(0.02):
            ticks.publish(message)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        wait_for_clock(simulated, limit_s=20.0)
    finally:
        over.set()
        thread.join()
        world.destroy_node()
    assert simulated.get_clock().now().nanoseconds == 54 * 10**9


def test_a_clock_that_never_comes_holds_nobody_up_and_is_told(
    simulated: Node, capfd: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    wait_for_clock(simulated, limit_s=0.2)
    assert time.monotonic() - began >= 0.2
    assert f'nothing has come on /clock_{os.getpid()} yet' in capfd.readouterr().err


def test_nothing_is_waited_for_in_real_time(simulated: Node) -> None:
    simulated.set_parameters([Parameter('use_sim_time', value=False)])
    began = time.monotonic()
    wait_for_clock(simulated, limit_s=60.0)
    assert time.monotonic() - began < 30.0
