"""The alarm clock on simulated time: /clock from a test, a node that follows it."""

from __future__ import annotations

import itertools
import threading
import time

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header
from waiting import wait_until

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import StopRequested
from bt_executive.ros.simulated_clock import AlarmClock
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
