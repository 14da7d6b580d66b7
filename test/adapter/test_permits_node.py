"""The adapter as a node: heartbeats, and the permits that they give or withdraw."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

from bt_executive_interfaces.msg import Heartbeat as HeartbeatMessage
import pytest
from rclpy.qos import ReliabilityPolicy

from rover_common.permit import Heartbeat, Permit
from rover_common.ros.heartbeat_setpoint_and_status import HEARTBEAT, heartbeat_to_ros

pytestmark = pytest.mark.ros


@pytest.fixture
def driving_under_a_permit(ready: Callable[..., None], caller: Any) -> None:
    """The rover drives, by the first permit of somebody whose heartbeats come."""
    ready()
    assert caller.call('mast_close') == ''
    caller.create_timer(0.05, caller.heartbeat)
    caller.permit('move_forward')
    assert caller.call('move_forward') == ''


def test_silence_stops_the_rover_and_forbids_motion(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready()
    assert caller.call('mast_close') == ''
    beating = caller.create_timer(0.05, caller.heartbeat)
    world.wait_until(lambda: caller.status['deadman'] == 'armed')
    assert 'gives no permission for move_forward' in caller.call('move_forward')
    caller.permit('move_forward')
    assert caller.call('move_forward') == ''
    beating.cancel()
    world.wait_until(lambda: not rover.rolling)
    # The rover stands before the adapter has its answer to the stop.
    world.wait_until(lambda: caller.told()['deadman'] == 'fired' and not caller.told()['moving'])
    assert 'heartbeat' in caller.call('move_forward')
    beating.reset()
    world.wait_until(lambda: caller.status['deadman'] == 'armed')
    assert 'has been used' in caller.call('move_forward')
    caller.permit('move_forward')
    assert caller.call('move_forward') == ''


def test_a_start_waits_a_little_for_its_permit(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready()
    assert caller.call('mast_close') == ''
    caller.create_timer(0.05, caller.heartbeat)
    world.wait_until(lambda: caller.status['deadman'] == 'armed')
    start = caller.send('turn_left')
    caller.permit('turn_left')
    assert start.result(timeout=20.0).message == ''
    assert rover.rolling


@pytest.mark.usefixtures('driving_under_a_permit')
def test_a_motion_ends_when_its_permit_is_withdrawn(world: Any, rover: Any, caller: Any) -> None:
    stops = rover.asked('move_stop')
    caller.permit('')
    world.wait_until(lambda: not rover.rolling and caller.status['at_rest'])
    assert rover.asked('move_stop') > stops
    ending = caller.status['ending']
    assert (ending['sender'], ending['permit'], ending['code']) == ('test', 1, 'WITHDRAWN')
    assert 'withdrew its permission' in ending['reason']


@pytest.mark.usefixtures('driving_under_a_permit')
def test_the_status_tells_who_ended_a_motion(world: Any, caller: Any) -> None:
    assert caller.call('move_stop') == ''
    world.wait_until(lambda: caller.status['ending'])
    assert caller.status['ending']['code'] == 'STOP_CALLED'
    assert caller.status['ending']['reason'] == 'move_stop was called'


def test_heartbeats_that_were_sent_long_ago_do_not_count(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready()
    assert caller.call('mast_close') == ''
    publisher = caller.create_publisher(HeartbeatMessage, HEARTBEAT, 1)
    world.wait_until(lambda: publisher.get_subscription_count())
    old = Heartbeat('before', 7, time.time() - 5.0, Permit('move_forward', 3))
    caller.create_timer(0.02, lambda: publisher.publish(heartbeat_to_ros(old)))
    world.wait_until(lambda: caller.told()['deadman'] == 'manual')
    assert caller.told()['heartbeat'] is None


def test_a_beat_that_was_lost_holds_no_later_one_back(
    ready: Callable[..., None], caller: Any
) -> None:
    ready()
    (heard,) = caller.get_subscriptions_info_by_topic('/executive/heartbeat')
    assert heard.qos_profile.reliability is ReliabilityPolicy.BEST_EFFORT
