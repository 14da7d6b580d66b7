"""How often the adapter looks, and reports its status, by a clock that the test moves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
import time
from typing import Any

from nav_msgs.msg import Odometry
import pytest
import rclpy
from std_srvs.srv import Trigger
from waiting import wait_until

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.adapter_node import AdapterNode
from curiosity_adapter.update_and_report_rates import ALONE_UPDATE_S, RESTS_AFTER_S
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform
from rover_common.permit import Heartbeat
from rover_common.reason import Reason, sentence_of
from rover_common.ros.heartbeat_setpoint_and_status import heartbeat_to_ros
from rover_common.ros.run_node import NodeOptions

pytestmark = pytest.mark.ros
ABSENT = Reason(Cause.EXECUTIVE_SILENT, 'There is no rover')
STEP_S = 1 / 16  # of its timer: no sum of these is rounded


class Lonely:
    """An adapter to which no rover has ever said anything. Nobody spins it."""

    def __init__(self) -> None:
        self.now = 100.0
        self._heartbeats = 0
        self.node = AdapterNode(NodeOptions(load_config(), None), steady=lambda: self.now)
        self._statuses: list[Any] = []
        self.node._status.publish = self._statuses.append

    def statuses_in(self, seconds: int) -> int:
        before = len(self._statuses)
        for _ in range(round(seconds / STEP_S)):
            self.now += STEP_S
            self.node._on_timer()
        return len(self._statuses) - before

    @property
    def looks_every_s(self) -> float:
        return float(self.node._timer.timer_period_ns) / 1e9

    def heard(self) -> None:
        """A heartbeat of an executive, which says nothing new."""
        self._heartbeats += 1
        heartbeat = Heartbeat('run', self._heartbeats, time.time())
        self.node._on_heartbeat(heartbeat_to_ros(heartbeat))

    def called(self, reason: Reason[Cause] | None) -> None:
        async def do() -> Reason[Cause] | None:
            return reason

        asyncio.run(self.node._answer(do, Trigger.Request(), Trigger.Response()))


@pytest.fixture
def lonely() -> Iterator[Lonely]:
    rclpy.init()
    made = Lonely()
    yield made
    made.node.destroy_node()
    rclpy.shutdown()


def comes_to_rest(lonely: Lonely) -> bool:
    lonely.statuses_in(round(RESTS_AFTER_S) + 1)
    return lonely.statuses_in(4) == 8


def test_without_a_rover_a_status_comes_twice_a_second(lonely: Lonely) -> None:
    assert lonely.node._parts.base.stands is not True
    assert lonely.statuses_in(2) == 8
    assert comes_to_rest(lonely)


def test_a_call_that_is_refused_again_and_again_is_nothing_new(lonely: Lonely) -> None:
    lonely.called(ABSENT)
    for _ in range(3):
        lonely.statuses_in(2)
        lonely.called(ABSENT)
    assert lonely.statuses_in(2) == 4
    lonely.called(None)
    lonely.statuses_in(1)  # until the next status is due
    assert lonely.statuses_in(2) == 8


def test_a_rover_that_is_seen_again_is_reported_of_as_before(lonely: Lonely) -> None:
    assert comes_to_rest(lonely)
    x = [0.0]

    def driven() -> Transform:
        x[0] += 0.01
        return Transform.planar(x[0], 0.0, 0.0, stamp=lonely.now)

    lonely.node._pose = driven  # type: ignore[method-assign]
    lonely.statuses_in(1)
    assert lonely.statuses_in(2) == 8


def test_at_rest_heartbeats_spare_the_deadman_half_of_its_looks(lonely: Lonely) -> None:
    deadman = lonely.node._config.curiosity.deadman
    lonely.called(None)
    assert lonely.looks_every_s == deadman.check_period_s
    assert comes_to_rest(lonely)
    heartbeat_s = lonely.node._config.executive.tick.heartbeat_s
    assert 1.5 * heartbeat_s < lonely.looks_every_s < deadman.timeout_s  # else both would come
    updated, watched = list[float](), list[float]()
    looks = lonely.node._parts
    looks.update = lambda: updated.append(lonely.now)  # type: ignore[method-assign]
    looks.watch = lambda _: watched.append(lonely.now)  # type: ignore[method-assign, assignment]
    lonely.heard()
    assert (updated, watched) == ([lonely.now], [])  # nobody is there who could have moved
    lonely.now += ALONE_UPDATE_S
    lonely.heard()
    assert (updated[1:], watched) == ([lonely.now], [lonely.now])


def test_with_the_first_call_the_deadman_looks_as_often_as_ever(lonely: Lonely) -> None:
    assert comes_to_rest(lonely)
    seen: list[float] = []

    async def drive() -> None:
        seen.append(lonely.looks_every_s)

    asyncio.run(lonely.node._answer(drive, Trigger.Request(), Trigger.Response()))
    period_s = lonely.node._config.curiosity.deadman.check_period_s
    assert [*seen, lonely.looks_every_s] == [period_s, period_s]


def test_looks_at_rest_hide_no_silence(lonely: Lonely) -> None:
    """Each counts as a pause of the adapter, but the second excuses nothing."""
    assert comes_to_rest(lonely)
    lonely.heard()
    silence, at = lonely.node._parts.deadman.heartbeat_timeout, lonely.now
    while not silence.ends_motion(lonely.now):
        lonely.now += lonely.looks_every_s
        lonely.node._on_timer()
    deadman = lonely.node._config.curiosity.deadman
    assert lonely.now - at <= deadman.timeout_s + lonely.looks_every_s


def test_odometry_of_two_publishers_is_not_believed(lonely: Lonely) -> None:
    poses, topic = lonely.node._parts.poses, lonely.node._config.topics.rover.odometry
    nodes = [rclpy.create_node(name) for name in ('rover', 'stranger')]
    first, second = (each.create_publisher(Odometry, topic, 10) for each in nodes)
    assert first is not second

    def doubt() -> str:
        lonely.statuses_in(1)
        return sentence_of(poses.doubt(lonely.now))

    wait_until(lambda: '2 publishers' in doubt(), doubt)
    assert '/rover, /stranger' in doubt()
    for each in nodes:
        each.destroy_node()
    wait_until(lambda: not doubt(), doubt)
