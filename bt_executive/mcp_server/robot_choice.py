"""The robots behind one server, and which of them a call is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp_types import Tool

from bt_executive.client.callable_tools import tools_offered_to_agents
from bt_executive.mcp_server.async_executive_client import RobotLink
from bt_executive.mcp_server.mcp_tools import ALL, MUST, ONLY, ROBOT, STOP, shared_tool, tools_of
from bt_executive.mcp_server.robot_lock import Holder
from rover_common.config.settings import Config, Skill
from rover_common.errors import UsageError


class NoRobotError(Exception):
    """It is not known for which robot a call is; the text says which there are."""


@dataclass(frozen=True)
class Robot:
    """One robot.

    Attributes:
        name: Its namespace without the first slash; empty: it has none.
    """

    name: str
    config: Config
    link: RobotLink
    holder: Holder

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """Every tool that a client may call.

        Raises:
            UsageError: The registry has a tool of a name that the server uses itself.
        """
        return tools_of(self.config)

    @cached_property
    def skills(self) -> dict[str, Skill]:
        """The tools of the registry."""
        return tools_offered_to_agents(self.config)


class Robots:
    """All of them, by name.

    Args:
        robots: In the order in which they were named.
        named: Whether clients see their names; with several they do.

    Attributes:
        tools: Every tool of any of them; with names, each has the argument `robot`.

    Raises:
        UsageError: A registry has a tool of a name, or with an argument, that the server uses.
    """

    def __init__(self, robots: Sequence[Robot], *, named: bool) -> None:
        self.all = {each.name: each for each in robots}
        self.named = named
        (first, *others) = robots
        self.tools: dict[str, Tool] = dict(first.tools)
        if named:
            names = dict.fromkeys(name for each in robots for name in each.tools)
            self.tools = {name: self._shared(name) for name in names}
        self._only = None if others else first

    @property
    def names(self) -> str:
        """The names as a list for people."""
        return ', '.join(self.all)

    def chosen(self, tool: str, arguments: Mapping[str, Any]) -> tuple[Robot, dict[str, Any]]:
        """Return the robot that a call is for, and the call's other arguments.

        Raises:
            NoRobotError: None is named and there are several, or there is none of that name, or
                it does not have the tool.
        """
        robot, rest = self._named_in(tool, arguments), dict(arguments)
        if self._takes_name(tool):
            rest.pop(ROBOT, None)
        if robot is None:
            raise NoRobotError(f'Name the robot in the argument {ROBOT!r}: {self.names}.')
        if tool not in robot.tools:
            able = ', '.join(each.name for each in self.all.values() if tool in each.tools)
            raise NoRobotError(f'{robot.name} has no tool {tool!r}; it is a tool of: {able}.')
        return robot, rest

    def to_stop(self, arguments: Mapping[str, Any]) -> tuple[list[Robot], str]:
        """Return the robots that a stop is for, and what is wrong with its name of a robot.

        Without a name that is known, all are stopped (docs/decisions/0125).
        """
        try:
            robot = self._named_in(STOP, arguments)
        except NoRobotError as error:
            return [*self.all.values()], str(error)
        return [*self.all.values()] if robot is None else [robot], ''

    def named_by(self, name: object) -> Robot:
        """Return the robot of a name.

        Raises:
            NoRobotError: There is none.
        """
        if isinstance(name, str) and (robot := self.all.get(name.strip('/'))) is not None:
            return robot
        if self.named:
            raise NoRobotError(f'There is no robot {name!r:.80}; there are: {self.names}.')
        raise NoRobotError(f'There is one robot here: leave out the argument {ROBOT!r}.')

    def _named_in(self, tool: str, arguments: Mapping[str, Any]) -> Robot | None:
        name = arguments.get(ROBOT) if self._takes_name(tool) else None
        return self._only if name is None else self.named_by(name)

    def _takes_name(self, tool: str) -> bool:
        """Whether the argument is ours: the tool of a robot without names may have its own."""
        own = self._only.tools.get(tool) if self._only is not None else None
        return self.named or own is None or ROBOT not in own.input_schema.get('properties', {})

    def _shared(self, name: str) -> Tool:
        of = {each.name: each.tools[name] for each in self.all.values() if name in each.tools}
        for robot, tool in of.items():
            if ROBOT in tool.input_schema.get('properties', {}):
                raise UsageError(
                    f'The tool {name!r} of {robot} has an argument {ROBOT!r}, which names the '
                    'robot where there are several: give it another name in robot.yaml.'
                )
        several = MUST if len(self.all) > 1 else ONLY
        return shared_tool(of, ALL if name == STOP else several)
