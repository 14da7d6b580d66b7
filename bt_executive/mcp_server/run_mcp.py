"""`bt-executive mcp`: link, server and transport put together."""

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
from bt_executive.mcp_server.async_executive_client import RobotLink
from bt_executive.mcp_server.http_transport import announce, new_token, serve_http
from bt_executive.mcp_server.mcp_handlers import RobotServer
from bt_executive.mcp_server.mcp_resources import Reader, followed
from bt_executive.mcp_server.resource_updates import Updates
from bt_executive.mcp_server.robot_choice import Robot, Robots
from bt_executive.mcp_server.robot_lock import Holder
from bt_executive.mcp_server.stdio_transport import serve_stdio
from rover_common.config.settings import Config
from rover_common.process.ending_signals import Shutdown, ending_signals
from rover_common.process.loopback import listen_on_loopback
from rover_common.ros.ros_arguments import domain_of, namespace_of

TOKEN = 'BT_EXECUTIVE_MCP_TOKEN'  # in the environment
LOST = 'This server has lost its connection to ROS and ends.'
BROKEN = 'A part of this server has failed, so it ends.'
LEAVE_S = 1.0  # for the clients, when the server ends


@dataclass(frozen=True)
class McpOptions:
    """One server.

    Attributes:
        robots: Behind it.
        http_port: None for standard input and output.
        runs: The folder of run folders.
        named: Whether clients see the names of the robots; with several they must.
    """

    robots: Sequence[FleetRobot]
    http_port: int | None
    runs: Path
    version: str
    named: bool = False


WayIn = Callable[[Server[Any]], Coroutine[Any, Any, None]]
MakeClient = Callable[[Config, Callable[[ClientEvent], None], Sequence[str]], AgentPort]


def run_mcp(options: McpOptions, make_client: MakeClient) -> int:
    """Serves until the client leaves or the process is told to end; returns the exit code."""
    with ending_signals() as ending:
        return asyncio.run(serve(options, make_client, os.environ, ending))


async def serve(
    options: McpOptions, make_client: MakeClient, environment: Mapping[str, str], ending: Shutdown
) -> int:
    """Serves as `run_mcp` does, in a running event loop."""
    way_in = _way_in(options, environment)
    bus = InMemorySubscriptionBus()
    updates = [Updates(bus, followed(each.name, named=options.named)) for each in options.robots]
    made = [_robot(*each, environment) for each in zip(options.robots, updates, strict=True)]
    robots = Robots(made, named=options.named)
    server = RobotServer(robots, Reader(robots, options.runs), bus, options.version)
    links = [robot.link for robot in made]
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    ending.then(lambda: loop.call_soon_threadsafe(told.set))
    tasks: list[asyncio.Future[Any]] = [asyncio.ensure_future(told.wait())]
    try:
        for given, link in zip(options.robots, links, strict=True):
            link.start(partial(_client, make_client, given))
        tasks += [asyncio.ensure_future(robot.holder.watch()) for robot in made]
        tasks += [asyncio.ensure_future(each.run()) for each in updates]
        failed = asyncio.gather(*(link.failed for link in links))
        task = asyncio.ensure_future(way_in(server.mcp))
        ends: list[asyncio.Future[Any]] = [task, failed, *tasks]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        faults = [(BROKEN, each.exception()) for each in tasks if each.done()]
        if failed.done():
            faults.append((LOST, failed.result()[0]))
        faults = [(sentence, fault) for sentence, fault in faults if fault is not None]
        for sentence, fault in faults:
            print(f'bt-executive: {sentence} The fault: {fault!r}', file=sys.stderr)
        server.close()
        for link in links:
            link.cancel_all()
        task.cancel()
        await asyncio.wait([task], timeout=LEAVE_S)
    finally:
        ending.then(lambda: None)  # the loop may be closed when the next signal comes
        for waiting in tasks:
            waiting.cancel()
        await asyncio.gather(*(link.close() for link in links))
        for robot in made:
            robot.holder.close()
    code = int(bool(faults))
    if not task.done():
        _leave(code)
    if not task.cancelled():
        task.result()
    return code


def _robot(given: FleetRobot, updates: Updates, environment: Mapping[str, str]) -> Robot:
    executive = f'{namespace_of(given.ros_arguments).rstrip("/")}/executive'
    holder = Holder(executive, domain_of(environment))
    link = RobotLink(updates.apply, given.config.executive.use_sim_time)
    return Robot(given.name, given.config, link, holder)


def _client(make: MakeClient, robot: FleetRobot, put: Callable[[ClientEvent], None]) -> AgentPort:
    return make(robot.config, put, robot.ros_arguments)


def _way_in(options: McpOptions, environment: Mapping[str, str]) -> WayIn:
    """How clients reach the server.

    Raises:
        UsageError: The port is taken.
    """
    if options.http_port is None:
        return serve_stdio
    listening = listen_on_loopback(options.http_port, 0, 0, '--http')
    given = environment.get(TOKEN)
    token = given or new_token()
    announce(options.http_port, None if given else token)
    return partial(serve_http, listening=listening, token=token)


def _leave(code: int) -> NoReturn:
    """Ends the process though a thread still waits for standard input: nothing can wake it."""
    sys.stderr.flush()  # the SDK has flushed each answer itself
    os._exit(code)
