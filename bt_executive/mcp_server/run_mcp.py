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

from bt_executive.client.events import ClientEvent
from bt_executive.mcp_server.holder import Holder
from bt_executive.mcp_server.link import FAILED, RobotLink
from bt_executive.mcp_server.resources import Reader
from bt_executive.mcp_server.robot_client import RobotClient
from bt_executive.mcp_server.server import RobotServer
from bt_executive.mcp_server.stdio import serve_stdio
from bt_executive.mcp_server.transports import announce, new_token, serve_http
from rover_common.config.settings import Config
from rover_common.process.ending import Ending, ending_signals
from rover_common.process.loopback import listen_on_loopback
from rover_common.process.name_lock import domain_of, namespace_of

TOKEN = 'BT_EXECUTIVE_MCP_TOKEN'  # in the environment
LEAVE_S = 1.0  # for the clients, when the server ends


@dataclass(frozen=True)
class McpOptions:
    """One server.

    Attributes:
        http_port: None for standard input and output.
        runs: The folder of run folders.
    """

    config: Config
    ros_arguments: Sequence[str]
    http_port: int | None
    runs: Path
    version: str


WayIn = Callable[[Server[Any]], Coroutine[Any, Any, None]]
MakeClient = Callable[[Config, Callable[[ClientEvent], None], Sequence[str]], RobotClient]


def run_mcp(options: McpOptions, make_client: MakeClient) -> int:
    """Serves until the client leaves or the process is told to end; returns the exit code."""
    with ending_signals() as ending:
        return asyncio.run(serve(options, make_client, os.environ, ending))


async def serve(
    options: McpOptions, make_client: MakeClient, environment: Mapping[str, str], ending: Ending
) -> int:
    """Serves as `run_mcp` does, in a running event loop."""
    way_in = _way_in(options, environment)
    link = RobotLink()
    executive = f'{namespace_of(options.ros_arguments).rstrip("/")}/executive'
    holder = Holder(executive, domain_of(environment))
    reader = Reader(options.config, link, options.runs)
    server = RobotServer(options.config, link, holder, reader, options.version).mcp
    link.start(lambda put: make_client(options.config, put, options.ros_arguments))
    task = asyncio.ensure_future(way_in(server))
    watching = asyncio.ensure_future(holder.watch())
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    ending.then(lambda: loop.call_soon_threadsafe(told.set))
    telling = asyncio.ensure_future(told.wait())
    try:
        ends: list[asyncio.Future[Any]] = [task, link.failed, telling]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if link.failed.done():
            print(f'bt-executive: {FAILED} The fault: {link.failed.result()!r}', file=sys.stderr)
        link.cancel_all()
        task.cancel()
        await asyncio.wait([task], timeout=LEAVE_S)
    finally:
        ending.then(lambda: None)  # the loop may be closed when the next signal comes
        watching.cancel()
        telling.cancel()
        await link.close()
        holder.close()
    code = int(link.failed.done())
    if not task.done():
        _leave(code)
    if not task.cancelled():
        task.result()
    return code


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
