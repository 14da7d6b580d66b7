"""A server's answer: what it changes of its call, and what it means for the tool."""

from __future__ import annotations

from dataclasses import dataclass

from bt_executive.core.call_states import CallInput, CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.error_codes import CODE_OF_CALL, CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.inputs import ServerCallUpdate
from bt_executive.core.result_text import format_feedback
from bt_executive.core.trace_fields import TraceData
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
    return CallResult(failed, code or CODE_OF_CALL[call.state].value)


def apply_answer(context: ToolAccess, answer: ServerCallUpdate) -> None:
    """Apply an answer to its call. One that comes too late for it is traced only."""
    call = context.calls.get(answer.server_call_id)
    known = context.calls.apply(
        answer.server_call_id, answer.happened, answer.fields, answer.reason
    )
    answers_again = context.calls.silent.pop_answered(answer.server_call_id)
    if answers_again is not None:
        context.tracer.emit('OBSERVE', f'{answers_again.endpoint.name} answers again')
    elif not known:
        late = {
            'happened': answer.happened.value,
            'fields': dict(answer.fields),
            'reason': answer.reason,
        }
        message = f'Late answer dropped: {answer.server_call_id}'
        context.tracer.emit('OBSERVE', message, data={'late_answer': late})
    elif answer.happened is CallInput.PROGRESS and call and call.progress is None:
        _report_first_feedback(context, call.skill, answer)
    elif answer.happened is CallInput.SUCCEED:
        _keep_result(context, answer.server_call_id)


def lose_adapter_calls(context: ToolAccess, reason: str) -> None:
    """End the calls to the adapter, and the motion of the round."""
    names = names_at_adapter(context.config)
    for call in context.calls.running():
        if call.endpoint is not None and call.endpoint.name in names:
            context.calls.apply(call.server_call_id, CallInput.LOSE, reason=reason)
    if context.round.asked is not None and context.round.under_way:
        context.round = replace(context.round, cut_short=Reason(CallError.LOST, reason))


def _keep_result(context: ToolAccess, server_call_id: str) -> None:
    """The round's tool is done, though it may be preempted before it can read that.

    A timed motion is not: its server has only begun it.
    """
    call, tool = context.calls.get(server_call_id), context.proposed_tool
    if call is None or tool is None or tool.skill.motion is not None:
        return
    if (call.call_id, call.skill) != (context.round.call_id, tool.name):
        return
    done = result_of(tool, call)
    if done.result.ok:
        context.round = replace(context.round, last_word=done.result)


def _report_first_feedback(context: ToolAccess, name: str, answer: ServerCallUpdate) -> None:
    """What is ahead, such as the path's length; how it goes on stands in the tree."""
    tool = context.registry.get(name)
    words = format_feedback(answer.fields, tool.skill.result.units if tool else {})
    if words:
        data: TraceData = {'feedback': dict(answer.fields)}
        context.tracer.emit('OBSERVE', f'{name}: {words}', tool_name=name, data=data)
    why_long = long_path(context, answer.fields)
    if why_long:
        context.tracer.emit('OBSERVE', f'{name}: {why_long}', tool_name=name)
