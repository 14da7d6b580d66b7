"""What the last word on a call means for its tool."""

from __future__ import annotations

from dataclasses import dataclass

from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.skills.tool_registry import Tool

CODES = {
    CallState.FAILED: CallError.FAILED,
    CallState.REJECTED: CallError.REJECTED,
    CallState.TIMED_OUT: CallError.TIMED_OUT,
    CallState.LOST: CallError.LOST,
    CallState.CANCELLED: CallError.CANCELLED,
}


@dataclass(frozen=True)
class CallResult:
    """The tool's result, and the error code if it failed."""

    result: ToolResult
    code: str = ''

    @property
    def words(self) -> str:
        """Why it failed."""
        return self.result.error_reason


def result_of(tool: Tool, call: ServerCall) -> CallResult:
    """How a call that has ended is read."""
    fields = call.fields or {}
    code = tool.error_code(fields)
    if call.state is CallState.SUCCEEDED:
        result = tool.read(fields)
        return CallResult(result, '' if result.ok else code or CallError.FAILED.value)
    reason = call.reason or tool.reason(fields) or code
    reason = reason or f'{call.label}: {call.state.value}'
    failed = ToolResult(ok=False, error_reason=reason)
    return CallResult(failed, code or CODES[call.state].value)
