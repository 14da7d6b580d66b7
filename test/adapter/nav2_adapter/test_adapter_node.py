"""The gate as a node: what it commands the base and what it tells of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bt_executive_interfaces.msg import AdapterStatus
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from spinning import spinning
from status_messages import facts_of
from waiting import wait_until

from nav2_adapter import adapter_node
from nav2_adapter.adapter_node import MOTION, Nav2Adapter
from rover_common.permit import NO_PERMIT, Permit
from rover_common.ros.heartbeat import HeartbeatPublisher
from rover_common.ros.latched import LATCHED

LIMIT_S = 60.0  # a busy machine may be late
pytestmark = pytest.mark.ros


class World(Node):
    """Executive, Nav2 and base: does what the test says, and keeps what the gate says."""

    def __init__(self) -> None:
        super().__init__('world')
        self.permitted, self.wanted = NO_PERMIT, 0.0
        self.speed: float | None = None  # as odometry tells it; None: there is none
        self.stamp = Time()  # of odometry that repeats itself; zero: it has none
        self.commanded: list[float] = []
        self.told: list[dict[str, Any]] = []
        self._beats = HeartbeatPublisher(self, 'an executive')
        self._velocity = self.create_publisher(Twist, 'cmd_vel_nav', 10)
        self._odometry = self.create_publisher(Odometry, 'odom', qos_profile_sensor_data)
        self.create_subscription(Twist, 'cmd_vel', self._commanded, 10)
        self.create_subscription(AdapterStatus, 'adapter/status', self._told, LATCHED)
        self.create_timer(0.02, self._go_on)

    @property
    def last(self) -> dict[str, Any]:
        return self.told[-1] if self.told else {}

    def _go_on(self) -> None:
        self._beats.permit(self.permitted)
        if self.wanted:
            velocity = Twist()
            velocity.linear.x = self.wanted
            self._velocity.publish(velocity)
        if self.speed is not None:
            odometry = Odometry()
            odometry.header.stamp = self.stamp
            odometry.twist.twist.linear.x = self.speed
            self._odometry.publish(odometry)

    def _commanded(self, message: Twist) -> None:
        self.commanded.append(message.linear.x)

    def _told(self, message: AdapterStatus) -> None:
        self.told.append(facts_of(message))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for name in ('LIMIT_S', 'NAV_SILENCE_S'):
        monkeypatch.setattr(adapter_node, name, LIMIT_S)
    rclpy.init()
    nodes = World(), Nav2Adapter()
    executor = SingleThreadedExecutor()
    for node in nodes:
        executor.add_node(node)
    with spinning(executor):
        yield nodes[0]
    executor.shutdown()
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()


def test_a_new_gate_brakes_a_base_that_rolls(world: World) -> None:
    world.speed = 0.5
    wait_until(lambda: world.commanded[2:], 'it is told to stand, again and again')
    assert not any(world.commanded)
    world.speed = 0.0
    wait_until(lambda: world.last.get('at_rest'), 'the base is known to stand')


def test_a_drive_that_ended_is_not_at_rest_before_a_new_odometry_says_so(world: World) -> None:
    world.speed = 0.0
    wait_until(lambda: world.last.get('at_rest'), 'the base is known to stand')
    world.speed = None
    world.permitted, world.wanted = Permit(MOTION, 1), 0.5
    wait_until(lambda: 0.5 in world.commanded, 'a velocity passes')
    world.permitted, world.wanted = NO_PERMIT, 0.0
    wait_until(lambda: world.last['ending'], 'the drive has ended')
    assert not any(each['at_rest'] for each in world.told if each['ending'])
    world.speed = 0.0
    wait_until(lambda: world.last['at_rest'], 'the base is known to stand')


def test_odometry_that_repeats_itself_is_no_news(world: World) -> None:
    """A driver that hangs sends its last message again and again, with the same stamp."""
    world.stamp, world.speed = Time(sec=5), 0.0
    wait_until(lambda: world.last.get('at_rest'), 'the base is known to stand')
    wait_until(lambda: world.last['at_rest'] is None, 'the news is old')
    assert world.last['moving'] is None
    assert world.last['standing_unknown'].startswith('It is not known whether the base stands')
    world.stamp = Time(sec=6)
    wait_until(lambda: world.last['at_rest'], 'the base is known to stand again')
