"""What the tools that need no server share: the proposal's arguments, and the result."""

from __future__ import annotations

from typing import Any

from bt_executive.core.error_codes import CallError
from bt_executive.core.ports import ToolResult
from bt_executive.skills.registry import Tool
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context import Context


class InternalTool(Leaf):
    """A tool that the executive carries out itself."""

    def __init__(self, name: str, context: Context, tool: Tool) -> None:
        super().__init__(name, context)
        self.tool = tool

    def argument(self, name: str) -> Any:
        """An argument of the proposal; the check before has seen that it fits the schema."""
        proposal = self.context.round.proposal
        return proposal.arguments.get(name) if proposal else None

    def done(self, message: str, /, **data: Any) -> Status:
        """SUCCESS, with the data, whatever its names, as the tool's result."""
        self.context.round.result = ToolResult(ok=True, data=data)
        return self.success(message)

    def failed(self, code: CallError, reason: str) -> Status:
        """FAILURE, with an error code for the tool's error_map."""
        self.context.round.error_code = code.value
        self.context.round.result = ToolResult(ok=False, error_reason=reason)
        return self.failure(reason)
