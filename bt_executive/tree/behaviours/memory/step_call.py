"""One step of a tool in steps: the call of another tool's server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bt_executive.core.ports import ToolResult
from bt_executive.skills.registry import Tool
from bt_executive.tree.access import ToolAccess
from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.behaviours.tools.call_server import CallServer
from rover_common.config.settings import Endpoint
from rover_common.errors import ConfigError

Arguments = Callable[[], Mapping[str, Any]]
Take = Callable[[ToolResult, str], None]


class StepCall(CallServer):
    """As `CallServer`, with arguments of the tree's own choice.

    Args:
        arguments: Asked when the call is made.
        take: Is told the result, good or bad, and its error code.
    """

    def __init__(
        self, name: str, context: ToolAccess, tool: Tool, arguments: Arguments, take: Take
    ) -> None:
        super().__init__(name, context, tool, endpoint_of(tool))
        self._arguments, self._take = arguments, take

    def arguments(self) -> Mapping[str, Any]:
        """Those that the tree has chosen."""
        return self._arguments()

    def update(self) -> Status:
        """As `CallServer`; hands the result on."""
        status = super().update()
        result = self.context.round.result
        if status is not Status.RUNNING and result is not None:
            ok = status is Status.SUCCESS
            self._take(result, '' if ok else self.context.round.error_code or '')
        return status


def endpoint_of(tool: Tool) -> Endpoint:
    """Where the tool's server is; the registry has seen that it has one."""
    if tool.endpoint is None:
        raise ConfigError(f'skills.yaml: {tool.name} calls no server.')
    return tool.endpoint
