"""A whole server in this process; transport and robot are played by the test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
import json
from pathlib import Path
import socket
import subprocess
import sys
from typing import Any

from fakes.mcp_server import FakeAgentPort
from mcp import Client
from mcp.server.lowlevel import Server
from mcp_stage import INITIALIZE, INITIALIZED, begun_call, own_namespace, text_of
import pytest
from warm import WarmPopen

from bt_executive.client.front_end_events import ClientFailed, GoalEnded
from bt_executive.client.robots_option import FleetRobot, read_robots
from bt_executive.mcp_server import robot_choice_and_lock as lock_module
from bt_executive.mcp_server import run_mcp as run_module
from bt_executive.mcp_server.async_executive_client import FAILED
from bt_executive.mcp_server.mcp_resources_and_prompts import UpdatePublisher
from bt_executive.mcp_server.robot_choice_and_lock import RobotLock
from bt_executive.mcp_server.run_mcp import BROKEN, McpOptions, serve
from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.process.loopback import HOST
from rover_common.process.process_end import Shutdown

DOMAIN = 78
NUDGE = {
    'jsonrpc': '2.0',
    'id': 2,
    'method': 'tools/call',
    'params': {'name': 'move_nudge', 'arguments': {}},
}
CHILD = """
import os, signal, sys
from pathlib import Path
from bt_executive.client.front_end_events import ClientFailed
from bt_executive.client.robots_option import FleetRobot
from fakes.mcp_server import FakeAgentPort
from bt_executive.mcp_server.run_mcp import McpOptions, run_mcp
from rover_common.config.load import load_config

class Robot(FakeAgentPort):
    def start(self, ticket, request):
        if sys.argv[1] == 'ROS is lost':
            self.put(ClientFailed(ValueError('deaf')))
        else:
            os.kill(os.getpid(), signal.Signals[sys.argv[1]])

    def cancel_goal(self, ticket):
        print('cancelled', ticket, file=sys.stderr)
        super().cancel_goal(ticket)

    def close(self):
        print('closed', file=sys.stderr)

arguments = ['--ros-args', '-r', f'__ns:={sys.argv[2]}']
options = McpOptions([FleetRobot('', load_config(), arguments)], None, Path('runs'), '1.2.3')
sys.exit(run_mcp(options, lambda config, put, ros_arguments: Robot(put)))
"""


class Whole:
    """A server whose clients are one scene of a test."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.namespace = own_namespace(folder)
        self._folder = folder
        self._monkeypatch = monkeypatch
        self.robot: FakeAgentPort

    async def serve(self, scene: Callable[[Server[Any]], Awaitable[None]]) -> int:
        """Serves until the scene ends, or the server; returns the exit code."""
        self._monkeypatch.setattr(run_module, 'serve_stdio', scene)
        ros_arguments = ['--ros-args', '-r', f'__ns:={self.namespace}']
        robot = FleetRobot('', load_config(), ros_arguments)
        options = McpOptions([robot], None, self._folder / 'runs', '1.2.3')
        environment = {'ROS_DOMAIN_ID': str(DOMAIN)}
        return await serve(options, self._make_robot, environment, Shutdown())

    def _make_robot(self, _: object, put: Callable[..., None], __: object) -> FakeAgentPort:
        self.robot = FakeAgentPort(put)
        return self.robot


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Whole:
    return Whole(tmp_path, monkeypatch)


@pytest.mark.slow
async def test_a_client_that_calls_nothing_any_more_leaves_the_robot_to_another_server(
    whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_module, 'CHECK_S', 0.001)
    other = RobotLock(f'{whole.namespace}/executive', DOMAIN)

    async def scene(server: Server[Any]) -> None:
        async with Client(server) as client:
            put = whole.robot.put
            whole.robot.on_start = lambda ticket: put(GoalEnded(ticket, 'reached', 'done'))
            await client.call_tool('move_nudge')
            assert other.acquire('other')
            monkeypatch.setattr(lock_module, 'IDLE_S', 0.0)
            while other.acquire('other'):
                await asyncio.sleep(0.001)

    await whole.serve(scene)
    other.close()


async def test_a_server_that_loses_ros_says_so_fails_its_calls_and_ends(
    whole: Whole, capsys: pytest.CaptureFixture[str]
) -> None:
    answers: list[str] = []

    async def scene(server: Server[Any]) -> None:
        async with Client(server) as client:
            call = await begun_call(whole.robot, client)
            whole.robot.put(ClientFailed(ValueError('deaf')))
            answers.append(text_of(await call))
            await asyncio.Event().wait()

    assert await whole.serve(scene) == 1
    assert answers in ([], [FAILED])  # the server may have ended before the answer was out
    assert 'lost its connection to ROS and ends' in (said := capsys.readouterr().err)
    assert "ValueError('deaf')" in said
    assert whole.robot.closed


@pytest.mark.parametrize(
    'part', [(RobotLock, 'watch'), (UpdatePublisher, 'run')], ids=lambda each: each[1]
)
async def test_a_server_of_which_a_part_fails_says_so_and_ends(
    whole: Whole,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    part: tuple[type, str],
) -> None:
    """It would look alive, and never let go of the robot, or tell no change any more."""

    async def fail(_: object) -> None:
        raise OSError('no disk')

    async def scene(_: Server[Any]) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(*part, fail)
    assert await whole.serve(scene) == 1
    assert capsys.readouterr().err == f"bt-executive: {BROKEN} The fault: OSError('no disk')\n"
    assert whole.robot.closed


def test_a_robot_whose_node_is_refused_leaves_no_other_node_behind(tmp_path: Path) -> None:
    made: list[FakeAgentPort] = []

    def make(_: object, put: Callable[..., None], ros_arguments: Sequence[str]) -> FakeAgentPort:
        if made:
            raise UsageError(f'{ros_arguments[-1]}: no node')
        made.append(FakeAgentPort(put))
        return made[0]

    robots = read_robots('a,b', load_config())
    options = McpOptions(robots, None, tmp_path, '1.2.3', named=True)
    with pytest.raises(UsageError, match='/b: no node'):
        asyncio.run(serve(options, make, {}, Shutdown()))
    assert made[0].closed


@pytest.mark.parametrize(
    ('given', 'token'), [(' abc \r\n', 'abc'), ('\t', 'new'), ('', 'new'), ('a b', 'a b')]
)
def test_a_token_of_the_environment_is_as_a_header_can_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, token: str
) -> None:
    used: list[str] = []

    async def serve_http(_: object, listening: socket.socket, token: str) -> None:
        listening.close()
        used.append(token)

    monkeypatch.setattr(run_module, 'serve_http', serve_http)
    monkeypatch.setattr(run_module, 'new_token', lambda: 'new')
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    options = McpOptions(read_robots('a', load_config()), port, tmp_path, '1.2.3')
    environment = {run_module.TOKEN: given, 'ROS_DOMAIN_ID': str(DOMAIN)}
    asyncio.run(serve(options, lambda _, put, __: FakeAgentPort(put), environment, Shutdown()))
    assert used == [token]


@pytest.mark.process
@pytest.mark.parametrize(
    ('why', 'code', 'last'),
    [
        ('SIGINT', 0, ['cancelled 1', 'closed']),
        ('SIGTERM', 0, ['cancelled 1', 'closed']),
        ('SIGHUP', 0, ['cancelled 1', 'closed']),
        ('ROS is lost', 1, ['closed']),
    ],
)
def test_a_server_ends_though_its_client_leaves_standard_input_open(
    whole: Whole, why: str, code: int, last: list[str]
) -> None:
    with WarmPopen(
        [sys.executable, '-c', CHILD, why, whole.namespace],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin
        assert child.stderr
        for message in (INITIALIZE, INITIALIZED, NUDGE):
            child.stdin.write(json.dumps(message) + '\n')
        child.stdin.flush()
        said = child.stderr.read()  # to its end
        assert child.wait() == code
    assert set(last) <= set(said.splitlines())
    assert 'Traceback' not in said


def test_a_port_that_is_taken_is_reported_before_anything_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        options = McpOptions([FleetRobot('', load_config())], port, tmp_path, '1.2.3')
        with pytest.raises(UsageError, match=f'Port {port} is in use.*--http'):
            asyncio.run(serve(options, FakeAgentPort, {}, Shutdown()))  # type: ignore[arg-type]
    assert capsys.readouterr().err == ''
