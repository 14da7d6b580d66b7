"""What the tools that need no server share: the proposal's arguments, and the result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context_roles import RoundAccess


class InternalTool(Leaf[RoundAccess]):
    """A tool that the executive carries out itself."""

    def __init__(self, name: str, context: RoundAccess, tool: Tool) -> None:
        super().__init__(name, context)
        self.tool = tool

    def argument(self, name: str) -> Any:
        """An argument of the proposal; the check before has seen that it fits the schema."""
        proposal = self.context.round.proposal
        return proposal.arguments.get(name) if proposal else None

    def done(self, message: str, /, **data: Any) -> Status:
        """SUCCESS, with the data, whatever its names, as the tool's result."""
        result = ToolResult(ok=True, data=data)
        self.context.round = replace(self.context.round, result=result)
        return self.success(message)

    def failed(self, code: CallError, reason: str) -> Status:
        """FAILURE, with an error code for the tool's error_map."""
        self.context.fail(code.value, reason)
        return self.failure(reason)
