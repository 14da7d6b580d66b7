"""One step of a tool in steps: a call of another tool's server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bt_executive.core.executive_ports import ToolResult
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Status
from bt_executive.tree.behaviours.tools.call_server import CallServer
from bt_executive.tree.context_roles import ToolAccess
from rover_common.config.settings import Endpoint
from rover_common.errors import ConfigError

Arguments = Callable[[], Mapping[str, Any]]
Apply = Callable[[ToolResult, str], None]


class StepCall(CallServer):
    """As `CallServer`, with arguments that the tree chooses.

    Args:
        arguments: Returns the arguments, when the call is made.
        apply: Takes the result, good or bad, and its error code.
    """

    def __init__(
        self, name: str, context: ToolAccess, tool: Tool, arguments: Arguments, apply: Apply
    ) -> None:
        super().__init__(name, context, tool, endpoint_of(tool))
        self._arguments, self._apply = arguments, apply

    def arguments(self) -> Mapping[str, Any]:
        return self._arguments()

    def initialise(self) -> None:
        """Clears the result of the previous step."""
        super().initialise()
        self.context.round = replace(self.context.round, result=None, error_code=None)

    def update(self) -> Status:
        """As `CallServer`; passes the result on, or why nothing was sent."""
        status = super().update()
        if status is not Status.RUNNING:
            this, ok = self.context.round, status is Status.SUCCESS
            result = this.result or ToolResult(ok=False, error_reason=self.feedback_message)
            self._apply(result, '' if ok else this.error_code or '')
        return status


def endpoint_of(tool: Tool) -> Endpoint:
    """Return the endpoint of the tool's server; the registry has checked that it has one."""
    if tool.endpoint is None:
        raise ConfigError(f'robot.yaml: {tool.name} calls no server.')
    return tool.endpoint
