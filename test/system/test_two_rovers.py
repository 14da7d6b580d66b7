"""Two rovers with an executive each in one ROS graph: neither notices the other."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from functools import partial
import os
import signal
import sys
import time
from typing import Any

from bt_executive_interfaces.msg import Heartbeat
from fleet_client import fleet_page
from forked_program import FORKED
from geometry_msgs.msg import Twist
from late_heartbeats import TRIES, KeptDrive, late_heartbeats
from lean import BLIND
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from nav_msgs.msg import Odometry
import pytest
from rclpy.node import Node
from spinning import spun_node
from waiting import wait_until

from rover_common.ros.heartbeat_setpoint_and_status import HEARTBEAT

pytestmark = [pytest.mark.ros, pytest.mark.system]
FIRST, SECOND = 'rover_1', 'rover_2'
STACK = (
    *('up', *BLIND),
    *('--set', 'move.nudge_duration_sec=25.0', '--set', 'use_sim_time=true'),  # two clocks, too
)


class Witness:
    """Speeds of the wheels as (steady time, speed), places and heartbeats of both rovers."""

    def __init__(self, node: Node) -> None:
        self.speeds: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.places: dict[str, list[float]] = defaultdict(list)
        self.hearts: dict[str, set[str]] = defaultdict(set)
        for space in (FIRST, SECOND):
            for type_, name, take in (
                (Twist, 'cmd_vel', self.speed),
                (Odometry, 'model/curiosity_mars_rover/odometry', self.place),
                (Heartbeat, HEARTBEAT, self.heart),
            ):
                node.create_subscription(type_, f'/{space}/{name}', take(space), 10)

    def speed(self, space: str) -> Callable[[Twist], None]:
        return lambda twist: self.speeds[space].append((time.monotonic(), twist.linear.x))

    def place(self, space: str) -> Callable[[Odometry], None]:
        return lambda odometry: self.places[space].append(odometry.pose.pose.position.x)

    def heart(self, space: str) -> Callable[[Heartbeat], None]:
        return lambda heartbeat: self.hearts[space].add(heartbeat.sender.split('.')[0])

    def drives(self, space: str) -> bool:
        return bool(self.speeds[space]) and self.speeds[space][-1][1] > 0

    def has_come(self, space: str, distance: float) -> bool:
        return bool(self.places[space]) and self.places[space][-1] > distance


def in_namespace(space: str) -> tuple[str, ...]:
    return ('--ros-args', '-r', f'__ns:=/{space}')


async def answer_to_a_stop_of_both(program: str, domain: int) -> str:
    """Stops both over MCP until the second one has answered; returns that answer."""
    command = StdioServerParameters(
        command=program,
        args=['mcp', '--robots', f'{FIRST},{SECOND}'],
        env={**os.environ, **FORKED, 'ROS_DOMAIN_ID': str(domain)},
    )
    async with Client(stdio_client(command, errlog=sys.__stderr__ or sys.stderr)) as agent:
        while True:
            stopped = await agent.call_tool('stop_robot')
            robots = (stopped.structured_content or {})['robots']
            assert stopped.is_error
            assert not robots[FIRST]['ok']
            if robots[SECOND]['ok']:
                return str(getattr(stopped.content[0], 'text', ''))


def test_each_rover_obeys_its_own_goals_and_its_own_deadman(start: Any, program: str) -> None:
    first = start(*STACK, *in_namespace(FIRST))
    second = start(*STACK, *in_namespace(SECOND), domain=first.domain)
    with spun_node('witness', first.domain) as node:
        seen = Witness(node)
        for run in (first, second):
            run.wait_for_rover()
            run.wait_for_event(message='The adapter reports its status')
        rival = start('demo', *in_namespace(SECOND), domain=first.domain)
        assert rival.finish() == 2
        assert f'/{SECOND}/rover runs already' in rival.output

        first.write(':mast_close\n')
        first_drive = KeptDrive(first, ':nudge\n')
        first_drive.until(lambda: seen.has_come(FIRST, 0.5), 'the first rover gets on')
        assert not any(speed for _, speed in seen.speeds[SECOND])
        wait_until(lambda: seen.places[SECOND], 'the second rover tells where it is')
        assert {round(x, 3) for x in seen.places[SECOND]} == {0.0}
        assert not second.events(kind='ACT')
        assert not second.events(kind='DECIDE')

        second.write(':mast_close\n')
        second_drive = KeptDrive(second, ':nudge\n')
        for number in range(TRIES):
            if number:  # a pause has ended the second drive; the other deadman would each time
                first_drive, second_drive = (KeptDrive(run, ':nudge\n') for run in (first, second))
            second_drive.until(lambda: seen.drives(SECOND), 'the second rover drives')
            first_drive.until(lambda: seen.drives(FIRST), 'the first rover drives beside it')
            pauses, here = late_heartbeats(second), seen.places[SECOND][-1]
            killed = first.kill('executive_node')
            wait_until(lambda: not seen.drives(FIRST), 'the first rover was stopped')
            on = partial(seen.has_come, SECOND, here + 0.5)
            second_drive.until(on, 'the second rover goes on')
            if late_heartbeats(second) == pauses:
                break
        assert all(v > 0 for at, v in seen.speeds[SECOND] if at > killed)

        with fleet_page(first.domain, FIRST, SECOND) as page:

            def shows(space: str, **wanted: Any) -> bool:
                tile = page.tiles().get(space, {})
                return all(tile.get(key) == value for key, value in wanted.items())

            drives = {
                'standing': 'moves',
                'mode': 'EXEC',
                'goal': 'move_nudge, asked for by the operator',
            }
            second_drive.until(lambda: shows(SECOND, **drives), 'the page shows the drive')
            wait_until(lambda: shows(FIRST, standing='stands'), 'the other one stands')
            # It says so only if the executive answers within a second.
            wait_until(lambda: page.stop(SECOND)['ok'], 'the page says that it was stopped')
            wait_until(lambda: not seen.drives(SECOND), 'the second rover obeys the page')
            wait_until(lambda: shows(SECOND, standing='stands'), 'its tile says that it stands')
            # A line in the pipe would wait for the nudge to end.
            first.process.send_signal(signal.SIGTERM)
            assert first.finish() == 130, first.output
            gone = {'mode': '', 'standing': 'unknown', 'battery_pct': None}
            wait_until(lambda: shows(FIRST, **gone), 'nothing is known of the first rover')
            wait_until(
                lambda: shows(SECOND, standing='stands', presence='ready'),
                'the second rover is known as before',
            )
        answer = asyncio.run(answer_to_a_stop_of_both(program, first.domain))
        assert f'{FIRST}: No executive has been found yet' in answer
    assert seen.hearts == {FIRST: {first.run_dir.name}, SECOND: {second.run_dir.name}}
    second.process.send_signal(signal.SIGHUP)
    assert second.finish() == 130, second.output
