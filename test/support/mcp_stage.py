"""A server with a robot that is played by the test, and the official client beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
import re
from typing import Any

from fakes.mcp_server import FakeRobotClient
from mcp import Client
from mcp_types import Implementation

from bt_executive.mcp_server.holder import Holder
from bt_executive.mcp_server.link import RobotLink
from bt_executive.mcp_server.resources import Reader
from bt_executive.mcp_server.server import RobotServer
from rover_common.config.load import load_config

INITIALIZE = {
    'jsonrpc': '2.0',
    'id': 1,
    'method': 'initialize',
    'params': {
        'protocolVersion': '2025-06-18',
        'capabilities': {},
        'clientInfo': {'name': 'tester', 'version': '1'},
    },
}
INITIALIZED = {'jsonrpc': '2.0', 'method': 'notifications/initialized'}


def own_namespace(folder: Path) -> str:
    """Of one test alone: the last part of its folder's path may be that of a parallel one."""
    return '/' + re.sub(r'\W', '_', str(folder))


class Stage:
    """One server and its robot. `robot` is there within `client()`."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.config = load_config(None, settings)
        self.link = RobotLink()
        self.clock = 0.0
        self.holder = Holder(f'{own_namespace(folder)}/executive', 77, lambda: self.clock)
        self.runs = folder / 'runs'
        reader = Reader(self.config, self.link, self.runs)
        self.server = RobotServer(self.config, self.link, self.holder, reader, '1.2.3')
        self.ready = True
        self.robot: FakeRobotClient

    @asynccontextmanager
    async def client(self, name: str = 'tester') -> AsyncIterator[Client]:
        """A client in this process; the first one starts the link."""
        self.begin()
        info = Implementation(name=name, version='1')
        async with Client(self.server.mcp, client_info=info) as client:
            yield client

    def begin(self) -> None:
        """Makes the robot, once; needs a running event loop."""
        if not hasattr(self, 'robot'):
            self.link.start(self._robot)

    def _robot(self, put: Callable[..., None]) -> FakeRobotClient:
        self.robot = FakeRobotClient(put, self.ready)
        return self.robot


def play(scene: Callable[[], Awaitable[None]]) -> None:
    """Runs a scene to its end."""
    asyncio.run(asyncio.wait_for(scene(), 60.0))


def text_of(result: Any) -> str:
    """The text of a tool's answer."""
    (content,) = result.content
    return str(content.text)
