"""Applies the answers of servers to calls; ends calls that are lost, overdue or cancelled."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from py_trees.common import Status

from bt_executive.core.call_states import ENDING, ENDS, CallInput, CallState
from bt_executive.core.call_table import ServerCall, is_of, with_running_calls
from bt_executive.core.error_codes import CODE_OF_CALL, CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.inputs import ServerCallUpdate
from bt_executive.core.modes import holds_back
from bt_executive.core.silent_servers import SilentServer
from bt_executive.core.trace import TraceData
from bt_executive.core.value_formatting import format_feedback
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.context_roles import ServerAccess, ToolAccess, UpkeepAccess
from bt_executive.tree.distance_driven_and_left import long_path
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
    silent = context.calls.silent.of(update.server_call_id)
    if silent is not None:
        _note_response(context, silent, update.happened)
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


def _note_response(context: ToolAccess, server: SilentServer, happened: CallInput) -> None:
    """Note the end of a goal that was given up, or that its server still runs it."""
    name, silent = server.endpoint.name, context.calls.silent
    if happened in ENDS:
        silent.remove(server)
        text = 'has ended its last goal' if server.responds else 'answers again'
        context.tracer.emit('OBSERVE', f'{name} {text}')
    elif not server.responds:
        noted = silent.note_response(server)
        context.tracer.emit('OBSERVE', f'{name} {noted.absence}')


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


class CleanUpCancelledCalls(Leaf[UpkeepAccess]):
    """Always SUCCESS. The only place that ends server calls on the executive's side.

    It requests the cancellation of cancelled and overdue actions until the server confirms; gives
    up servers that have gone or do not respond in time; releases the leases of ended calls; and
    updates the running calls in the state.
    """

    def update(self) -> Status:
        context = self.context
        adopt_calls(context)
        for call in context.calls.running():
            self._lose(call)
        for call in context.calls.overdue(context.now):
            self._time_out(call)
        send_cancellations(context)
        ask_silent_servers(context)
        held, finished = context.holders, context.calls.of_ended_tools()
        for call_id in context.calls.clear_finished():
            leased = (name for name in held if held[name] == call_id)
            tools = (each.skill for each in finished if each.call_id == call_id)
            changes = (
                context.registry[each].changes for each in tools if each in context.registry
            )
            context.note_moved(call_id, (*leased, *chain.from_iterable(changes)))
        context.state = with_running_calls(
            context.state, context.calls, context.config.robot.resources
        )
        return self.success(', '.join(call.label for call in context.calls.running()))

    def _lose(self, call: ServerCall) -> None:
        if call.endpoint is None:
            return
        context = self.context
        limit = context.config.executive.sessions.lost_after_s
        if call.server_call_id in context.to_adopt:  # this run has not found its server yet
            limit = context.config.executive.guards.server_wait_s
        there = context.robot.ready(call.endpoint)
        if context.calls.note_server(call.server_call_id, there, context.now.steady) < limit:
            return
        reason = f'The server of {call.label} has gone'
        context.calls.lose_with_server(call.server_call_id, reason)
        self._report(reason)

    def _time_out(self, call: ServerCall) -> None:
        context = self.context
        reason = f'No answer from {call.label} within {call.timeout_s:g} s'
        if call.ending:
            reason = f'{call.label} was asked to end and did not'
        elif call.state is CallState.REQUESTED:
            reason = (
                f'{call.label} was not called within {call.timeout_s:g} s: it waited for the '
                'journal, for a stop or for a guard'
            )
        patience = context.config.executive.sessions.cancel_timeout_s
        context.calls.expire(call.server_call_id, context.now, patience, reason)
        if call.endpoint is not None:  # `ConfirmStop` reports the base's stop, once
            self._report(reason)

    def _report(self, reason: str) -> None:
        self.context.tracer.emit('ERROR', reason, ok=False, error_reason=reason)


def adopt_calls(context: UpkeepAccess) -> None:
    """Ask the servers for calls of the previous run, and cancel those of no use any more."""
    waiting: list[str] = []
    for server_call_id in context.to_adopt:
        call = context.calls.get(server_call_id)
        if call is None or call.ended or call.endpoint is None:
            continue
        if context.robot.ready(call.endpoint):
            context.robot.adopt(server_call_id, call.endpoint, call.goal_id)
        else:
            waiting.append(server_call_id)
    context.to_adopt = tuple(waiting)
    recovery, now = context.recovery, context.now
    if recovery is None:
        return
    is_over, task = recovery.call_id != context.round.call_id, context.task
    if is_over or task is None or holds_back(context.state, task):
        patience = context.config.executive.sessions.cancel_timeout_s
        for server_call_id in recovery.server_call_ids:
            call = context.calls.get(server_call_id)
            if call is not None and not (call.ended or call.state in ENDING):
                context.calls.cancel(server_call_id, now, patience)
    if is_over:
        own = {recovery.call_id, *(call.call_id for call in recovery.calls)}
        held = {each for each in context.holders.values() if is_of(each, recovery.call_id)}
        for call_id in own | held:  # a member may have had its lease, and no call yet
            context.calls.finish_call(call_id)
        context.forget_recovery()


def send_cancellations(context: ServerAccess) -> None:
    """Send the due cancellations: at once, then repeatedly until they are confirmed."""
    period, now = context.config.executive.sessions.cancel_repeat_s, context.now.steady
    for call in context.calls.running():
        if not call.ending or call.cancel_accepted:
            continue
        sent_at = call.cancel_sent_at
        if sent_at is None or now - sent_at >= period:
            sent_at = now
            context.calls.cancel_sent(call.server_call_id, now)
            context.robot.cancel(call.server_call_id)
        context.wake_at(steady=sent_at + period)


def ask_silent_servers(context: ServerAccess) -> None:
    """Repeat the cancellation at servers that did not end a goal, which then may get the next."""
    period, now = context.config.executive.sessions.cancel_repeat_s, context.now.steady
    for server in context.calls.silent.all():
        requested_at = server.requested_at
        if requested_at is None or now - requested_at >= period:
            if not context.robot.ready(server.endpoint):
                continue
            requested_at = now
            context.calls.silent.note_request(server, now)
            context.robot.cancel_again(server.server_call_id, server.endpoint, server.goal_id)
        context.wake_at(steady=requested_at + period)
