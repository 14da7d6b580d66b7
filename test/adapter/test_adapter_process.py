"""The adapter as a process: the death of its executive, and its own."""

from __future__ import annotations

from collections.abc import Iterator
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timed]

STOP_WITHIN_S = 0.5

EXECUTIVE = """
    import rclpy
    from std_msgs.msg import Header
    from std_srvs.srv import Trigger

    rclpy.init()
    node = rclpy.create_node('executive')
    beats = node.create_publisher(Header, 'executive/heartbeat', 1)
    node.create_timer(0.1, lambda: beats.publish(Header(frame_id='run')))
    for name in ('adapter/mast_close', 'adapter/move_forward'):
        client = node.create_client(Trigger, name)
        while not client.service_is_ready():
            rclpy.spin_once(node, timeout_sec=0.1)
        answer = client.call_async(Trigger.Request())
        rclpy.spin_until_future_complete(node, answer)
        assert answer.result().success, answer.result().message
    rclpy.spin(node)
"""


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


def start(processes: list[subprocess.Popen[bytes]], *arguments: str) -> subprocess.Popen[bytes]:
    processes.append(subprocess.Popen([sys.executable, *arguments]))
    return processes[-1]


def test_the_rover_stops_in_time_when_the_executive_is_killed(world, rover, processes) -> None:
    start(processes, '-m', 'curiosity_adapter.adapter_node')
    executive = start(processes, '-c', textwrap.dedent(EXECUTIVE))
    world.wait_until(lambda: rover.rolling, timeout_s=30.0)
    settled = time.monotonic() + 0.5
    world.wait_until(lambda: time.monotonic() > settled)
    assert rover.rolling

    os.kill(executive.pid, signal.SIGKILL)
    killed_at = time.monotonic()
    world.wait_until(lambda: not rover.rolling)
    stopped_at = next(at for at, name in reversed(rover.requests) if name == 'move_stop')
    assert stopped_at - killed_at <= STOP_WITHIN_S
    assert rover.violations == []


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT])
def test_an_adapter_that_is_asked_to_end_stops_the_rover_first(
    world, rover, caller, processes, number
) -> None:
    manual = ('--set', 'curiosity.deadman.manual_mode=true')
    adapter = start(processes, '-m', 'curiosity_adapter.adapter_node', *manual)
    world.wait_until(lambda: caller.offered('mast_close') and caller.status, timeout_s=30.0)
    world.wait_until(lambda: caller.status['mast'] == 'open')
    assert caller.call('mast_close') == ''
    assert caller.call('move_forward') == ''
    adapter.send_signal(number)
    assert adapter.wait(timeout=5.0) == 0
    assert not rover.rolling
    assert rover.asked('move_stop') == 2
