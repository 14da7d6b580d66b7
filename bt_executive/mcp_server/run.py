"""`bt-executive mcp`: link, server and transport put together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
import os
from pathlib import Path
import signal
import sys
from typing import Any

from bt_executive.client.events import ClientEvent
from bt_executive.mcp_server.holder import Holder
from bt_executive.mcp_server.link import FAILED, RobotLink
from bt_executive.mcp_server.port import RobotClient
from bt_executive.mcp_server.resources import Reader
from bt_executive.mcp_server.server import RobotServer
from bt_executive.mcp_server.transports import announce, new_token, serve_http, serve_stdio
from rover_common.config.settings import Config
from rover_common.process.name_lock import domain_of, namespace_of

TOKEN = 'BT_EXECUTIVE_MCP_TOKEN'  # in the environment
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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


MakeClient = Callable[[Config, Callable[[ClientEvent], None], Sequence[str]], RobotClient]


def run_mcp(options: McpOptions, make_client: MakeClient) -> int:
    """Serves until the client leaves or the process is told to end; returns the exit code."""
    return asyncio.run(serve(options, make_client, os.environ))


async def serve(
    options: McpOptions, make_client: MakeClient, environment: Mapping[str, str]
) -> int:
    """Serves as `run_mcp` does, in a running event loop."""
    link = RobotLink()
    executive = f'{namespace_of(options.ros_arguments).rstrip("/")}/executive'
    holder = Holder(executive, domain_of(environment))
    reader = Reader(options.config, link, options.runs)
    server = RobotServer(options.config, link, holder, reader, options.version).mcp
    link.start(lambda put: make_client(options.config, put, options.ros_arguments))
    if options.http_port is None:
        serving = serve_stdio(server)
    else:
        given = environment.get(TOKEN)
        token = given or new_token()
        announce(options.http_port, None if given else token)
        serving = serve_http(server, options.http_port, token)
    task = asyncio.ensure_future(serving)
    watching = asyncio.ensure_future(holder.watch())
    for number in ENDING_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        ends: list[asyncio.Future[Any]] = [task, link.failed]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if link.failed.done():
            print(f'bt-executive: {FAILED} The fault: {link.failed.result()!r}', file=sys.stderr)
            task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    finally:
        watching.cancel()
        await link.close()
        holder.close()
    return int(link.failed.done())
