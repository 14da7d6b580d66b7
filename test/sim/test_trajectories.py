"""Odometry of the real processes against the closed form of the wheel node's Ackermann model.

The closed form is written out here from the demo's own numbers, so that it shares nothing with
the code that is tested: a wheel of 0.242647 m, 2 rad/s ahead, 1 rad/s in a turn, and a turning
circle of 17.5 - 25 · 0.4 = 7.5 m.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
import math
import sys

from nav_msgs.msg import Odometry
from network import Network
import pytest
from rclpy.node import Node
from std_srvs.srv import Empty
from warm import WarmPopen

pytestmark = pytest.mark.ros

WHEEL_M = 0.242647
# Speed in m/s, curvature in 1/m, positive to the left, and for how long, in simulated s.
COURSES = {
    'move_forward': (2.0 * WHEEL_M, 0.0, 4.0),
    'turn_left': (1.0 * WHEEL_M, 1.0 / 7.5, 12.0),
    'turn_right': (1.0 * WHEEL_M, -1.0 / 7.5, 4.0),
}
SPEED_FACTOR = 12.0
TOLERANCE_M, TOLERANCE_RAD = 0.005, 0.001
MOVED_M = 0.1
ODOMETRY = '/model/curiosity_mars_rover/odometry'


@pytest.fixture
def odometry(network: Network, tester: Node) -> list[Odometry]:
    heard: list[Odometry] = []
    tester.create_subscription(Odometry, ODOMETRY, heard.append, 10)
    return heard


@pytest.fixture
def start_rover(network: Network, tester: Node) -> Iterator[Callable[..., None]]:
    """Starts the rover and its control stand-in as processes."""
    processes = []

    def start(*settings: str) -> None:
        words = [word for each in settings for word in ('--set', each)]
        for module in ('rover_node', 'control_node'):
            command = [sys.executable, '-m', f'curiosity_sim.{module}', *words]
            processes.append(WarmPopen(command))
        network.wait_until(lambda: tester.count_subscribers('/cmd_vel'))

    yield start
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(120.0)


def stamp(message: Odometry) -> float:
    return float(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)


def pose(message: Odometry) -> tuple[float, float, float]:
    place, turn = message.pose.pose.position, message.pose.pose.orientation
    return place.x, place.y, 2.0 * math.atan2(turn.z, turn.w)


def closed_form(
    begin: tuple[float, float, float], speed: float, curvature: float, seconds: float
) -> tuple[float, float, float]:
    x, y, yaw = begin
    way = speed * seconds
    if curvature == 0.0:
        return x + way * math.cos(yaw), y + way * math.sin(yaw), yaw
    turned, radius = way * curvature, 1.0 / curvature
    return (
        x + radius * (math.sin(yaw + turned) - math.sin(yaw)),
        y - radius * (math.cos(yaw + turned) - math.cos(yaw)),
        yaw + turned,
    )


def has_moved(odometry: list[Odometry], since: Odometry) -> bool:
    return math.dist(pose(since)[:2], pose(odometry[-1])[:2]) > MOVED_M


def has_driven(odometry: list[Odometry], since: Odometry, seconds: float) -> bool:
    return stamp(odometry[-1]) > stamp(since) + seconds


def has_more(odometry: list[Odometry], count: int) -> bool:
    return len(odometry) >= count


def test_each_motion_is_the_closed_form_and_each_stop_holds(
    network: Network, tester: Node, odometry: list[Odometry], start_rover: Callable[..., None]
) -> None:
    start_rover('use_sim_time=true', f'rover.speed_factor={SPEED_FACTOR}', 'rover.rocks=0')
    for name, (speed, curvature, seconds) in COURSES.items():
        network.wait_until(lambda: odometry)
        begin = odometry[-1]
        network.call(tester, Empty, f'/{name}')
        # Under way, and not only told to be: the first command may be followed by an older one.
        network.wait_until(partial(has_moved, odometry, begin))
        begun = len(odometry)
        network.wait_until(partial(has_driven, odometry, odometry[-1], seconds))
        driven = odometry[begun:]
        network.call(tester, Empty, '/move_stop')
        network.wait_until(lambda: odometry[-1].twist.twist.linear.x == 0.0)
        first = driven[0]
        for message in driven[1:]:
            wanted = closed_form(pose(first), speed, curvature, stamp(message) - stamp(first))
            x, y, yaw = pose(message)
            assert math.hypot(x - wanted[0], y - wanted[1]) < TOLERANCE_M, name
            assert abs(math.remainder(yaw - wanted[2], math.tau)) < TOLERANCE_RAD, name
        rest = odometry[-1]
        count = len(odometry)
        network.wait_until(partial(has_more, odometry, count + 3))
        assert pose(odometry[-1]) == pose(rest)
