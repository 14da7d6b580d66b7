"""Eight callers at once against the real processes: the rover itself says what it did.

The rover, its control stand-in and the adapter are processes of their own, on simulated time that
passes quickly. What counts is the rover's own word: an odometry that moves and the joint states of
the same moment of simulated time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
import random
import sys
import time
from typing import Any

from nav_msgs.msg import Odometry
import pytest
from rclpy.node import Node
from sensor_msgs.msg import JointState
from warm import WarmPopen

from rover_common.config.load import load_config

pytestmark = pytest.mark.ros

SETTINGS = (
    'use_sim_time=true',
    'rover.speed_factor=5',
    'rover.rocks=0',
    'curiosity.deadman.manual_mode=true',
)
MODULES = (
    'curiosity_sim.rover_node',
    'curiosity_sim.control_node',
    'curiosity_adapter.adapter_node',
)
CALLS = {
    'mast_close': 8,
    'move_forward': 6,
    'turn_left': 3,
    'turn_right': 3,
    'move_stop': 1,
    'mast_open': 1,
    'mast_rotate': 1,
}
LONGEST_PAUSE_S = 0.4  # with shorter ones the rover seldom comes to move
THREADS = 8
CALLS_EACH = 15  # of a thread, and so many more until enough was seen
ENOUGH = 20  # moments of motion
LIMIT_S = 240.0
JOINTS_MS = 60  # joint states come every 50 ms of simulated time
MAST = load_config().curiosity.mast


class Truth(Node):
    """What the rover says of itself, by its own time."""

    def __init__(self) -> None:
        super().__init__('truth')
        self.moving: set[int] = set()
        self.tilts: dict[int, float] = {}
        self.create_subscription(
            Odometry, '/model/curiosity_mars_rover/odometry', self._take_odometry, 100
        )
        self.create_subscription(JointState, '/joint_states', self._take_joints, 100)

    def _take_odometry(self, message: Odometry) -> None:
        if message.twist.twist.linear.x:
            self.moving.add(moment(message))

    def _take_joints(self, message: JointState) -> None:
        tilt = message.position[message.name.index(MAST.tilt_joint)]
        self.tilts[moment(message)] = tilt

    def out(self, at: int) -> bool:
        """Whether the mast was out: by the joint states before and after that moment."""
        heard = list(self.tilts.items())  # more may come meanwhile
        near = [tilt for when, tilt in heard if abs(when - at) <= JOINTS_MS]
        return bool(near) and all(
            abs(tilt - MAST.closed_tilt_rad) > MAST.tolerance_rad for tilt in near
        )


def moment(message: Odometry | JointState) -> int:
    """Simulated ms."""
    stamp = message.header.stamp
    return round(float(stamp.sec * 1e3 + stamp.nanosec * 1e-6))


@pytest.fixture
def processes() -> Iterator[None]:
    words = [word for each in SETTINGS for word in ('--set', each)]
    started = [WarmPopen([sys.executable, '-m', module, *words]) for module in MODULES]
    yield
    for process in started:
        process.terminate()
    for process in started:
        process.wait(120.0)


def pesterer(
    call: Callable[[str], str], enough: Callable[[], bool]
) -> Callable[[int], Counter[str]]:
    names, weights = list(CALLS), list(CALLS.values())
    deadline = time.monotonic() + LIMIT_S

    def pester(seed: int) -> Counter[str]:
        chance, granted, calls = random.Random(seed), Counter[str](), 0
        while calls < CALLS_EACH or not enough():
            assert time.monotonic() < deadline, granted
            name = chance.choices(names, weights)[0]
            granted[name] += call(name) == ''
            calls += 1
            time.sleep(chance.uniform(0.0, LONGEST_PAUSE_S))
        return granted

    return pester


@pytest.mark.usefixtures('processes')
def test_it_never_moves_with_the_mast_out_whoever_asks(world: Any, caller: Any) -> None:
    truth = world.add(Truth())
    world.wait_until(lambda: any(truth.out(at) for at in list(truth.tilts)))
    world.wait_until(lambda: caller.status.get('mast') == 'open' and caller.offered('get_status'))
    pester = pesterer(caller.call, lambda: len(truth.moving) > ENOUGH)
    with ThreadPoolExecutor(THREADS) as threads:
        granted = sum(threads.map(pester, range(THREADS)), Counter())
    assert caller.call('move_stop') == ''
    world.remove(truth)
    assert granted['mast_close']
    assert not [at for at in truth.moving if truth.out(at)]
