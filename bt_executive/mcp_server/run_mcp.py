"""`bt-executive mcp`: runs the clients of the executives, the server and its transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
import os
from pathlib import Path
import sys
from typing import Any, NoReturn

from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus

from bt_executive.client.front_end_events import ClientEvent
from bt_executive.client.front_end_ports import AgentPort
from bt_executive.client.robots_option import FleetRobot
from bt_executive.mcp_server.async_executive_client import AsyncExecutiveClient
from bt_executive.mcp_server.mcp_access import announce, new_token
from bt_executive.mcp_server.mcp_request_handlers import RobotServer
from bt_executive.mcp_server.mcp_resources_and_prompts import (
    ResourceReader,
    UpdatePublisher,
    subscribable_uris,
)
from bt_executive.mcp_server.mcp_transports import serve_http, serve_stdio
from bt_executive.mcp_server.robot_choice_and_lock import Robot, RobotLock, Robots
from rover_common.config.settings import Config
from rover_common.process.loopback import listen_on_loopback
from rover_common.process.process_end import Shutdown, ending_signals
from rover_common.ros.ros_arguments import domain_of, namespace_of

TOKEN = 'BT_EXECUTIVE_MCP_TOKEN'  # in the environment
LOST = 'This server has lost its connection to ROS and ends.'
BROKEN = 'A part of this server has failed, so it ends.'
CLOSE_S = 1.0  # for the transport, when the server ends
Transport = Callable[[Server[Any]], Coroutine[Any, Any, None]]
MakeClient = Callable[[Config, Callable[[ClientEvent], None], Sequence[str]], AgentPort]


@dataclass(frozen=True)
class McpOptions:
    """The options of a server.

    Attributes:
        http_port: None for standard input and output.
        named: Whether clients see the names of the robots; with several they must.
    """

    robots: Sequence[FleetRobot]
    http_port: int | None
    runs: Path
    version: str
    named: bool = False


def run_mcp(options: McpOptions, make_client: MakeClient) -> int:
    """Serves until the client leaves or the process is told to end; returns the exit code."""
    with ending_signals() as ending:
        return asyncio.run(serve(options, make_client, os.environ, ending))


async def serve(
    options: McpOptions, make_client: MakeClient, environment: Mapping[str, str], ending: Shutdown
) -> int:
    """Serves as `run_mcp` does, in a running event loop."""
    transport = _make_transport(options, environment)
    bus = InMemorySubscriptionBus()
    publishers = [
        UpdatePublisher(bus, subscribable_uris(entry.name, named=options.named))
        for entry in options.robots
    ]
    all_robots = [
        _make_robot(entry, publisher, environment)
        for entry, publisher in zip(options.robots, publishers, strict=True)
    ]
    robots = Robots(all_robots, named=options.named)
    server = RobotServer(robots, ResourceReader(robots, options.runs), bus, options.version)
    executives = [robot.executive for robot in all_robots]
    signalled = asyncio.Event()
    loop = asyncio.get_running_loop()
    ending.then(lambda: loop.call_soon_threadsafe(signalled.set))
    tasks: list[asyncio.Future[Any]] = [asyncio.ensure_future(signalled.wait())]
    try:
        for entry, executive in zip(options.robots, executives, strict=True):
            executive.start(partial(_make_client, make_client, entry))
        tasks += [asyncio.ensure_future(robot.lock.watch()) for robot in all_robots]
        tasks += [asyncio.ensure_future(publisher.run()) for publisher in publishers]
        failed = asyncio.gather(*(executive.failed for executive in executives))
        serving = asyncio.ensure_future(transport(server.mcp))
        ends: list[asyncio.Future[Any]] = [serving, failed, *tasks]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        faults = [(BROKEN, task.exception()) for task in tasks if task.done()]
        if failed.done():
            faults.append((LOST, failed.result()[0]))
        faults = [(sentence, fault) for sentence, fault in faults if fault is not None]
        for sentence, fault in faults:
            print(f'bt-executive: {sentence} The fault: {fault!r}', file=sys.stderr)
        server.close()
        for executive in executives:
            executive.cancel_all()
        serving.cancel()
        await asyncio.wait([serving], timeout=CLOSE_S)
    finally:
        ending.then(lambda: None)  # the loop may be closed when the next signal comes
        for task in tasks:
            task.cancel()
        await asyncio.gather(*(executive.close() for executive in executives))
        for robot in all_robots:
            robot.lock.close()
    code = int(bool(faults))
    if not serving.done():
        _exit(code)
    if not serving.cancelled():
        serving.result()
    return code


def _make_robot(
    entry: FleetRobot, publisher: UpdatePublisher, environment: Mapping[str, str]
) -> Robot:
    full_name = f'{namespace_of(entry.ros_arguments).rstrip("/")}/executive'
    lock = RobotLock(full_name, domain_of(environment))
    executive = AsyncExecutiveClient(publisher.apply, entry.config.executive.use_sim_time)
    return Robot(entry.name, entry.config, executive, lock)


def _make_client(
    make: MakeClient, robot: FleetRobot, put: Callable[[ClientEvent], None]
) -> AgentPort:
    return make(robot.config, put, robot.ros_arguments)


def _make_transport(options: McpOptions, environment: Mapping[str, str]) -> Transport:
    """Return the coroutine function that serves the clients.

    Raises:
        UsageError: The port is in use.
    """
    if options.http_port is None:
        return serve_stdio
    listening = listen_on_loopback(options.http_port, 0, 0, '--http')
    configured = environment.get(TOKEN, '').strip()  # a header has no blanks at its ends
    token = configured or new_token()
    announce(options.http_port, None if configured else token)
    return partial(serve_http, listening=listening, token=token)


def _exit(code: int) -> NoReturn:
    """Ends the process while a thread still reads standard input, which cannot be interrupted."""
    sys.stderr.flush()  # the SDK has flushed each answer itself
    os._exit(code)
