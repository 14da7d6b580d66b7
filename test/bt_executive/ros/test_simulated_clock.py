"""Nodes on simulated time: the first /clock at the start, and alarms between ticks."""

from __future__ import annotations

from collections.abc import Iterator
import itertools
import os
import threading
import time

import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header
from waiting import wait_until

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import StopRequested
from bt_executive.ros.simulated_clock import AlarmClock, wait_for_clock
from rover_common.clocks import Alarm, Now
from rover_common.ros.message_conversions import seconds_from_ros

pytestmark = pytest.mark.ros
LONGEST_S = 60.0  # so that nothing wakes by it
LIMIT_S = 60.0


class Sleeper:
    """Sleeps in a thread until an alarm of ROS time 10.0."""

    def __init__(self, node: Node) -> None:
        self.inbox = Inbox()
        self._alarm_clock = AlarmClock(node, self.inbox)
        self._thread = threading.Thread(target=self._sleep)
        self._thread.start()

    def _sleep(self) -> None:
        now = Now(ros=7.0, robot=100.0, steady=time.monotonic())
        self._alarm_clock.sleep(Alarm(robot=103.0), now, LONGEST_S)

    def wakes_within(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()


class SimulatedTime:
    """Publishes /clock until the node has it."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(Clock, '/clock', 10)
        node.set_parameters([Parameter('use_sim_time', value=True)])

    def is_now(self, seconds: float) -> None:
        message = Clock()
        message.clock.sec, rest = int(seconds), seconds % 1.0
        message.clock.nanosec = round(rest * 1e9)

        def come() -> bool:
            self._publisher.publish(message)
            return seconds_from_ros(self._node.get_clock().now().to_msg()) == seconds

        wait_until(come, 'the node follows /clock', look_s=0.01)


@pytest.fixture
def simulated(ros_node: Node) -> SimulatedTime:
    return SimulatedTime(ros_node)


def test_it_wakes_when_the_robots_clock_has_come_to_the_alarm(
    ros_node: Node, simulated: SimulatedTime
) -> None:
    simulated.is_now(7.0)
    sleeper = Sleeper(ros_node)
    simulated.is_now(9.875)
    assert not sleeper.wakes_within(0.1)
    simulated.is_now(10.0)
    assert sleeper.wakes_within(LIMIT_S)


def test_it_does_not_sleep_if_the_time_has_come_already(
    ros_node: Node, simulated: SimulatedTime
) -> None:
    simulated.is_now(10.5)
    assert Sleeper(ros_node).wakes_within(LIMIT_S)


def test_a_step_is_acknowledged_while_it_sleeps_and_nothing_is_due(
    ros_node: Node, simulated: SimulatedTime
) -> None:
    heard: list[float] = []
    ros_node.create_subscription(
        Header, '/clock_ack', lambda message: heard.append(seconds_from_ros(message.stamp)), 10
    )
    simulated.is_now(7.0)
    sleeper = Sleeper(ros_node)  # acknowledges when it lies down, and then each step
    steps = itertools.count()

    def acknowledged() -> bool:
        simulated.is_now(min(7.0 + next(steps) / 64, 9.5))  # until the two have met
        return bool(heard)

    wait_until(acknowledged)
    simulated.is_now(9.75)
    wait_until(lambda: heard[-1] == 9.75)
    simulated.is_now(10.0)
    assert sleeper.wakes_within(LIMIT_S)
    simulated.is_now(11.0)
    assert heard[-1] == 9.75  # what was due has not been done: nobody lay down again


def test_news_wakes_it_before(ros_node: Node, simulated: SimulatedTime) -> None:
    simulated.is_now(7.0)
    sleeper = Sleeper(ros_node)
    sleeper.inbox.put(StopRequested('a test'))
    assert sleeper.wakes_within(LIMIT_S)


def test_without_simulation_the_alarm_is_a_matter_of_steady_time(ros_node: Node) -> None:
    inbox = Inbox()
    steady = time.monotonic()  # read first: a pause in between lengthens what is measured
    now = Now(ros=ros_node.get_clock().now().nanoseconds * 1e-9, robot=50.0, steady=steady)
    for alarm in (Alarm(robot=50.1), Alarm(steady=now.steady + 0.2)):
        AlarmClock(ros_node, inbox).sleep(alarm, now, LONGEST_S)
        slept = time.monotonic() - now.steady
        assert 0.095 <= slept < LIMIT_S


@pytest.fixture
def late_node() -> Iterator[Node]:
    """A node on simulated time; its clock has a name of its own."""
    rclpy.init(args=['--ros-args', '-r', f'/clock:=/clock_{os.getpid()}'])
    made = Node('simulated', parameter_overrides=[Parameter('use_sim_time', value=True)])
    try:
        yield made
    finally:
        made.destroy_node()
        rclpy.shutdown()


def test_the_first_time_is_waited_for(late_node: Node) -> None:
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
        wait_for_clock(late_node, limit_s=20.0)
    finally:
        over.set()
        thread.join()
        world.destroy_node()
    assert late_node.get_clock().now().nanoseconds == 54 * 10**9


def test_a_clock_that_never_comes_holds_nobody_up_and_is_told(
    late_node: Node, capfd: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    wait_for_clock(late_node, limit_s=0.2)
    assert time.monotonic() - began >= 0.2
    assert f'nothing has come on /clock_{os.getpid()} yet' in capfd.readouterr().err


def test_nothing_is_waited_for_in_real_time(late_node: Node) -> None:
    late_node.set_parameters([Parameter('use_sim_time', value=False)])
    began = time.monotonic()
    wait_for_clock(late_node, limit_s=60.0)
    assert time.monotonic() - began < 30.0
