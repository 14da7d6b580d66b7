"""A server with a robot that is played by the test, and the official client beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
import re
from typing import Any

from fakes.mcp_server import FakeAgentPort
from mcp import Client
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp_types import Implementation

from bt_executive.mcp_server.async_executive_client import AsyncExecutiveClient
from bt_executive.mcp_server.mcp_request_handlers import RobotServer
from bt_executive.mcp_server.mcp_resources_and_prompts import (
    ResourceReader,
    UpdatePublisher,
    subscribable_uris,
)
from bt_executive.mcp_server.robot_choice_and_lock import Robot, RobotLock, Robots
from rover_common.config.load import load_config
from rover_common.config.settings import Config

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
    """One server and its robots. `robot`, the first, and `fleet` are there within `client()`.

    Args:
        folder: Of runs, and of the names of holds.
        settings: `--set` of all robots.
        configs: Of each robot by its name; without any there is one, which has no name.
        config: Of that one, without settings.
    """

    def __init__(
        self,
        folder: Path,
        *settings: str,
        configs: Mapping[str, Config] = {},
        config: Config | None = None,
    ) -> None:
        self.config = config or load_config(None, settings)
        self.clock = 0.0
        self.runs = folder / 'runs'
        bus = InMemorySubscriptionBus()
        self._updates = {
            name: UpdatePublisher(bus, subscribable_uris(name, named=bool(configs)))
            for name in configs or ('',)
        }
        named = own_namespace(folder)
        made = [
            Robot(
                name,
                configs.get(name, self.config),
                AsyncExecutiveClient(updates.apply),
                RobotLock(f'{named}/{name}/executive', 77, lambda: self.clock),
            )
            for name, updates in self._updates.items()
        ]
        robots = Robots(made, named=bool(configs))
        self.executive, self.lock = made[0].executive, made[0].lock
        self.offered, self.robots = robots, robots.all
        self.server = RobotServer(robots, ResourceReader(robots, self.runs), bus, '1.2.3')
        self.ready = True
        self.fleet: dict[str, FakeAgentPort] = {}

    @property
    def robot(self) -> FakeAgentPort:
        """The first one."""
        return next(iter(self.fleet.values()))

    @asynccontextmanager
    async def client(self, name: str = 'tester', mode: str = 'auto') -> AsyncIterator[Client]:
        """A client in this process; the first one starts the link."""
        self.begin()
        info = Implementation(name=name, version='1')
        async with Client(self.server.mcp, client_info=info, mode=mode) as client:
            yield client

    def begin(self) -> None:
        """Makes the robots, once; needs a running event loop."""
        if not self.fleet:
            for name, robot in self.robots.items():
                robot.executive.start(partial(self._robot, name))
            self._running = [asyncio.ensure_future(each.run()) for each in self._updates.values()]

    def close(self) -> None:
        """Lets go of the robots."""
        for robot in self.robots.values():
            robot.lock.close()

    def _robot(self, name: str, put: Callable[..., None]) -> FakeAgentPort:
        self.fleet[name] = FakeAgentPort(put, self.ready)
        return self.fleet[name]


def play(scene: Callable[[], Awaitable[None]]) -> None:
    """Runs a scene to its end."""
    asyncio.run(asyncio.wait_for(scene(), 60.0))


async def begun_call(robot: FakeAgentPort, client: Client) -> asyncio.Task[Any]:
    """A call of a tool that the robot has begun, and does not end."""
    started = asyncio.Event()
    robot.on_start = lambda _: started.set()
    call = asyncio.create_task(client.call_tool('move_nudge'))
    await started.wait()
    return call


def text_of(result: Any) -> str:
    """The text of a tool's answer."""
    (content,) = result.content
    return str(content.text)
