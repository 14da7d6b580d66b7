"""Applies the updates of servers to their calls and to the tool."""

from __future__ import annotations

from dataclasses import dataclass

from bt_executive.core.call_states import CallInput, CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.error_codes import CODE_OF_CALL, CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.inputs import ServerCallUpdate
from bt_executive.core.trace import TraceData
from bt_executive.core.value_formatting import format_feedback
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.context_roles import ToolAccess
from bt_executive.tree.goal_distance import long_path
from rover_common.config.endpoints import names_at_adapter
from rover_common.dataclass_replace import replace
from rover_common.reason import Reason


@dataclass(frozen=True)
class CallResult:
    """The tool's result, and the error code if it failed."""

    result: ToolResult
    code: str = ''

    @property
    def reason(self) -> str:
        """Returns why it failed."""
        return self.result.error_reason


def result_of(tool: Tool, call: ServerCall) -> CallResult:
    """Return the tool's result by its ended server call."""
    fields = call.fields or {}
    code = tool.error_code(fields)
    if call.state is CallState.SUCCEEDED:
        result = tool.read(fields)
        return CallResult(result, '' if result.ok else code or CallError.FAILED.value)
    reason = call.reason or tool.reason(fields) or code
    reason = reason or f'{call.label}: {call.state.value}'
    failed = ToolResult(ok=False, error_reason=reason)
    return CallResult(failed, code or CODE_OF_CALL[call.state].value)


def apply_update(context: ToolAccess, update: ServerCallUpdate) -> None:
    """Apply an update to its call. One that arrives too late is only traced."""
    call = context.calls.get(update.server_call_id)
    changes = context.calls.apply(
        update.server_call_id, update.happened, update.fields, update.reason
    )
    responding = context.calls.silent.pop_answered(update.server_call_id)
    if responding is not None:
        context.tracer.emit('OBSERVE', f'{responding.endpoint.name} answers again')
    elif not changes:
        late = {
            'happened': update.happened.value,
            'fields': dict(update.fields),
            'reason': update.reason,
        }
        message = f'Late answer dropped: {update.server_call_id}'
        context.tracer.emit('OBSERVE', message, data={'late_answer': late})
    elif update.happened is CallInput.PROGRESS and call and call.progress is None:
        _report_first_feedback(context, call.skill, update)
    elif update.happened is CallInput.SUCCEED:
        _keep_result(context, update.server_call_id)


def lose_adapter_calls(context: ToolAccess, reason: str) -> None:
    """End the calls to the adapter, and the motion of the round."""
    names = names_at_adapter(context.config)
    for call in context.calls.running():
        if call.endpoint is not None and call.endpoint.name in names:
            context.calls.apply(call.server_call_id, CallInput.LOSE, reason=reason)
    if context.round.asked is not None and context.round.under_way:
        context.round = replace(context.round, cut_short=Reason(CallError.LOST, reason))


def _keep_result(context: ToolAccess, server_call_id: str) -> None:
    """Keep the result of the round's tool, which may be preempted before it reads it.

    A timed motion has none yet: its server has only started it.
    """
    call, tool = context.calls.get(server_call_id), context.proposed_tool
    if call is None or tool is None or tool.skill.motion is not None:
        return
    if (call.call_id, call.skill) != (context.round.call_id, tool.name):
        return
    done = result_of(tool, call)
    if done.result.ok:
        context.round = replace(context.round, last_word=done.result)


def _report_first_feedback(context: ToolAccess, name: str, update: ServerCallUpdate) -> None:
    """Report the first feedback, such as the path's length; the tree shows later ones."""
    tool = context.registry.get(name)
    text = format_feedback(update.fields, tool.skill.result.units if tool else {})
    if text:
        data: TraceData = {'feedback': dict(update.fields)}
        context.tracer.emit('OBSERVE', f'{name}: {text}', tool_name=name, data=data)
    why_long = long_path(context, update.fields)
    if why_long:
        context.tracer.emit('OBSERVE', f'{name}: {why_long}', tool_name=name)
