"""The adapter as a process: the death of its executive, and its own."""

from __future__ import annotations

from collections.abc import Iterator
import os
import signal
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from warm import WarmPopen

from rover_common.process.process_end import ENDING_SIGNALS

pytestmark = pytest.mark.ros

EXECUTIVE = """
    import json

    import rclpy
    from bt_executive_interfaces.msg import AdapterStatus
    from std_srvs.srv import Trigger

    from rover_common.permit import Permit
    from rover_common.ros.heartbeat_setpoint_and_status import HeartbeatPublisher

    rclpy.init()
    node = rclpy.create_node('executive')
    publisher = HeartbeatPublisher(node, 'run')
    node.create_timer(0.1, publisher.publish)
    told = {}

    def take(status):
        told.update(json.loads(status.details))

    node.create_subscription(AdapterStatus, 'adapter/status', take, 1)
    while (told.get('mast'), told.get('deadman')) != ('open', 'armed'):
        rclpy.spin_once(node, timeout_sec=0.1)
    for name in ('adapter/mast_close', 'adapter/move_forward'):
        client = node.create_client(Trigger, name)
        while not client.service_is_ready():
            rclpy.spin_once(node, timeout_sec=0.1)
        publisher.permit(Permit(name.rpartition('/')[2], 1))
        answer = client.call_async(Trigger.Request())
        rclpy.spin_until_future_complete(node, answer)
        assert answer.result().success, answer.result().message
    rclpy.spin(node)
"""
# Puts a command into the foreground of the terminal that is its standard input.
IN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
BY_HAND = (
    *('-m', 'curiosity_adapter.adapter_node'),
    *('--set', 'curiosity.deadman.manual_mode=true'),
)

AGAIN = 5


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


def start(
    processes: list[subprocess.Popen[bytes]], *arguments: str, terminal: int | None = None
) -> subprocess.Popen[bytes]:
    command = [sys.executable, *arguments]
    processes.append(WarmPopen(command, stdin=terminal, stdout=terminal, stderr=terminal))
    return processes[-1]


def test_the_rover_stops_when_the_executive_is_killed(
    world: Any, rover: Any, processes: list[subprocess.Popen[bytes]]
) -> None:
    start(processes, '-m', 'curiosity_adapter.adapter_node')
    executive = start(processes, '-c', textwrap.dedent(EXECUTIVE))
    world.wait_until(lambda: rover.rolling)
    os.kill(executive.pid, signal.SIGKILL)
    world.wait_until(lambda: not rover.rolling)
    assert rover.violations == []


def drive_by_hand(world: Any, caller: Any) -> None:
    """Without a heartbeat: only a stop ends it."""
    world.wait_until(lambda: caller.offered('get_status') and caller.status)
    world.wait_until(lambda: caller.status['mast'] == 'open')
    assert caller.call('mast_close') == ''
    answer = caller.call('move_forward')
    for _ in range(AGAIN):
        if 'come lately' in answer:  # the machine let the rover pause: the adapter stops it
            answer = caller.call('move_forward')
    assert answer == ''


def assert_ended_after_its_stop(adapter: subprocess.Popen[bytes], rover: Any, stops: int) -> None:
    """`stops`: how often the rover was asked to stop before the adapter was to end."""
    assert adapter.wait(timeout=120.0) == 0
    assert not rover.rolling
    assert rover.asked('move_stop') > stops  # it is asked again where the answer is slow


@pytest.mark.parametrize('number', ENDING_SIGNALS)
def test_an_adapter_that_is_asked_to_end_stops_the_rover_first(
    world: Any, rover: Any, caller: Any, processes: list[subprocess.Popen[bytes]], number: Any
) -> None:
    adapter = start(processes, *BY_HAND)
    drive_by_hand(world, caller)
    stops = rover.asked('move_stop')
    adapter.send_signal(number)
    assert_ended_after_its_stop(adapter, rover, stops)


def test_an_adapter_whose_terminal_is_closed_stops_the_rover_first(
    world: Any, rover: Any, caller: Any, processes: list[subprocess.Popen[bytes]]
) -> None:
    keyboard, terminal = os.openpty()
    adapter = start(processes, '-c', IN_TERMINAL, *BY_HAND, terminal=terminal)
    os.close(terminal)
    drive_by_hand(world, caller)
    stops = rover.asked('move_stop')
    os.close(keyboard)  # SIGHUP comes, and whatever is written fails
    assert_ended_after_its_stop(adapter, rover, stops)
