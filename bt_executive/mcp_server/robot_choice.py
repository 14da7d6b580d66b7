"""The robots behind one server, and the choice of one for a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp_types import Tool

from bt_executive.client.callable_tools import tools_offered_to_agents
from bt_executive.mcp_server.async_executive_client import AsyncExecutiveClient
from bt_executive.mcp_server.mcp_tools import ALL, MUST, ONLY, ROBOT, STOP, shared_tool, tools_of
from bt_executive.mcp_server.robot_lock import RobotLock
from rover_common.config.settings import Config, Skill
from rover_common.errors import UsageError


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
