"""The robots behind one server: the choice of one for a call, and the lock of each.

One client holds a robot at a time, among all servers on this machine: by a lock on a file, which
the kernel releases when the process ends, however it ends; the file contains who holds it and
since when.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
import os
import time
from typing import Any, TextIO

from mcp_types import Tool

from bt_executive.client.callable_tools import tools_offered_to_agents
from bt_executive.mcp_server.async_executive_client import AsyncExecutiveClient
from bt_executive.mcp_server.tools_as_mcp_schemas import (
    ALL,
    MUST,
    ONLY,
    ROBOT,
    STOP,
    shared_tool,
    tools_of,
)
from rover_common.config.settings import Config, Skill
from rover_common.errors import UsageError
from rover_common.process.node_name_lock import holder_of, open_own_file
from rover_common.process.user_paths import temporary_folder

IDLE_S = 30.0  # how long a client holds the robot after its last call, if its session goes on
CHECK_S = 1.0  # between two checks of that time
LONGEST = 200  # characters of a client's name


class RobotLock:
    """The lock of one robot, for all clients of one server.

    Args:
        full_name: Of the executive, with its namespace.
        clock: Steady time in s.
    """

    def __init__(
        self, full_name: str, domain: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = f'{domain}.{full_name.strip("/").replace("/", ".")}.mcp'
        self._clock = clock
        self._file: TextIO | None = None
        self._client = ''
        self._calls = 0
        self._idle_since = 0.0
        self._session_ended = False

    def acquire(self, client: str, *, is_unique: bool = True) -> str:
        """Acquires the robot for a call of a client; returns its other holder, or empty.

        `is_unique`: false if two clients may have this name. A call of either then waits until
        the other one's has ended.
        """
        if self._file is not None and client != self._client:
            if not self._is_idle():
                return self._client
            self._release()
        if self._calls and not is_unique:
            return f'{self._client}, which has a call under way'
        if self._file is None:
            file = _open_lock(self._name)
            other = holder_of(file)
            if other:
                file.close()
                return other
            _write_holder(file, client)
            self._file, self._client, self._session_ended = file, client, False
        self._calls += 1
        return ''

    def end_call(self) -> None:
        """Ends one of the calls."""
        self._calls -= 1
        self._idle_since = self._clock()
        if self._session_ended and not self._calls:
            self._release()

    def end_session(self, client: str) -> None:
        """Ends a client's session; the lock is released once its calls have ended."""
        if self._file is not None and client == self._client:
            self._session_ended = True
            if not self._calls:
                self._release()

    async def watch(self) -> None:
        """Releases the robot when its client is idle, until this is cancelled."""
        while True:
            await asyncio.sleep(CHECK_S)
            if self._file is not None and self._is_idle():
                self._release()

    def close(self) -> None:
        """Releases the robot."""
        self._release()

    def _is_idle(self) -> bool:
        return self._calls == 0 and self._clock() - self._idle_since >= IDLE_S

    def _release(self) -> None:
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file, self._client, self._session_ended = None, '', False


def _open_lock(name: str) -> TextIO:
    return os.fdopen(
        open_own_file(temporary_folder(os.environ), name), 'r+', encoding='utf-8', errors='replace'
    )


def _write_holder(file: TextIO, client: str) -> None:
    text = f'{client:.{LONGEST}} (process {os.getpid()}, since {time.strftime("%H:%M:%S")})'
    file.truncate(0)
    os.pwrite(file.fileno(), text.encode('utf-8', 'replace'), 0)


class NoRobotError(Exception):
    """A call does not name one of the robots; the text lists them."""


@dataclass(frozen=True)
class Robot:
    """One robot.

    Attributes:
        name: Its namespace without the first slash; empty: the root namespace.
    """

    name: str
    config: Config
    executive: AsyncExecutiveClient
    lock: RobotLock

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """Every tool that a client may call.

        Raises:
            UsageError: A tool of the registry has the name of one of the server.
        """
        return tools_of(self.config)

    @cached_property
    def skills(self) -> dict[str, Skill]:
        """The tools of the registry."""
        return tools_offered_to_agents(self.config)


class Robots:
    """All robots by name.

    Args:
        robots: In the order of the command line.
        named: Whether clients see their names; with several they do.

    Attributes:
        tools: Every tool of any robot; if `named`, each has the argument `robot`.

    Raises:
        UsageError: A registry has a tool of a name, or with an argument, that the server uses.
    """

    def __init__(self, robots: Sequence[Robot], *, named: bool) -> None:
        self.all = {robot.name: robot for robot in robots}
        self.named = named
        (first, *others) = robots
        self.tools: dict[str, Tool] = dict(first.tools)
        if named:
            names = dict.fromkeys(name for robot in robots for name in robot.tools)
            self.tools = {name: self._shared_tool(name) for name in names}
        self._only = None if others else first

    @property
    def names(self) -> str:
        """The names, separated by commas."""
        return ', '.join(self.all)

    def choose(self, tool: str, arguments: Mapping[str, Any]) -> tuple[Robot, dict[str, Any]]:
        """Return the robot that a call is for, and the call's other arguments.

        Raises:
            NoRobotError: None is named and there are several, or there is none of that name, or
                it does not have the tool.
        """
        robot, others = self._named_robot(tool, arguments), dict(arguments)
        if self._has_robot_argument(tool):
            others.pop(ROBOT, None)
        if robot is None:
            raise NoRobotError(f'Name the robot in the argument {ROBOT!r}: {self.names}.')
        if tool not in robot.tools:
            owners = ', '.join(each.name for each in self.all.values() if tool in each.tools)
            raise NoRobotError(f'{robot.name} has no tool {tool!r}; it is a tool of: {owners}.')
        return robot, others

    def robots_to_stop(self, arguments: Mapping[str, Any]) -> tuple[list[Robot], str]:
        """Return the robots that a stop is for, and the error in its argument `robot`, or empty.

        Without a known name all are stopped (docs/decisions/0125).
        """
        try:
            robot = self._named_robot(STOP, arguments)
        except NoRobotError as error:
            return [*self.all.values()], str(error)
        return [*self.all.values()] if robot is None else [robot], ''

    def find(self, name: object) -> Robot:
        """Return the robot of a name.

        Raises:
            NoRobotError: There is none of that name.
        """
        if isinstance(name, str) and (robot := self.all.get(name.strip('/'))) is not None:
            return robot
        if self.named:
            raise NoRobotError(f'There is no robot {name!r:.80}; there are: {self.names}.')
        raise NoRobotError(f'There is one robot here: leave out the argument {ROBOT!r}.')

    def _named_robot(self, tool: str, arguments: Mapping[str, Any]) -> Robot | None:
        name = arguments.get(ROBOT) if self._has_robot_argument(tool) else None
        return self._only if name is None else self.find(name)

    def _has_robot_argument(self, tool: str) -> bool:
        """Return whether `robot` names the robot: a tool of a single robot may use it itself."""
        own = self._only.tools.get(tool) if self._only is not None else None
        return self.named or own is None or ROBOT not in own.input_schema.get('properties', {})

    def _shared_tool(self, name: str) -> Tool:
        robots = self.all.values()
        tools = {robot.name: robot.tools[name] for robot in robots if name in robot.tools}
        for owner, tool in tools.items():
            if ROBOT in tool.input_schema.get('properties', {}):
                raise UsageError(
                    f'The tool {name!r} of {owner} has an argument {ROBOT!r}, which names the '
                    'robot where there are several: give it another name in robot.yaml.'
                )
        description = MUST if len(self.all) > 1 else ONLY
        return shared_tool(tools, ALL if name == STOP else description)
