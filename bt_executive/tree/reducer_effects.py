"""Carries out what the reducers ask for: with calls, with approvals, with goals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bt_executive.approval.approval_registry import Approval, ApprovalOutcome, RulingCode
from bt_executive.approval.approval_validity import situation_of, what_changed
from bt_executive.core.call_states import CallInput
from bt_executive.core.effects import Effect, Emit, EndAtOnce, Forward, LoseCalls, Reply
from bt_executive.core.error_codes import CallError
from bt_executive.core.inputs import (
    ApprovalGiven,
    GoalCancelled,
    Input,
    ParametersSet,
    PoseSeen,
    ReadinessSeen,
    SessionAnswer,
)
from bt_executive.core.result_text import progress_in_words
from bt_executive.core.trace_fields import TraceData
from bt_executive.skills.call_description import amounts_to
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree import goal_transitions
from bt_executive.tree.call_result import result_of
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import ApprovalAccess, Facts, ToolAccess
from bt_executive.tree.goal_distance import DriveAccount, long_path
from rover_common.call_text import call_in_words
from rover_common.config.endpoints import names_at_adapter
from rover_common.printable import one_line
from rover_common.reason import Reason
from rover_common.replace import replace


def apply_answer(context: ToolAccess, answer: SessionAnswer) -> None:
    """Apply an answer to its call. One that comes too late for it is traced only."""
    call = context.calls.get(answer.session_id)
    known = context.calls.apply(answer.session_id, answer.happened, answer.fields, answer.reason)
    answers_again = context.calls.silent.answered(answer.session_id)
    if answers_again is not None:
        context.tracer.emit('OBSERVE', f'{answers_again.endpoint.name} answers again')
    elif not known:
        late = {
            'happened': answer.happened.value,
            'fields': dict(answer.fields),
            'reason': answer.reason,
        }
        message = f'Late answer dropped: {answer.session_id}'
        context.tracer.emit('OBSERVE', message, data={'late_answer': late})
    elif answer.happened is CallInput.PROGRESS and call and call.progress is None:
        _report_first_feedback(context, call.skill, answer)
    elif answer.happened is CallInput.SUCCEED:
        _keep_result(context, answer.session_id)


def lose_adapter_calls(context: ToolAccess, reason: str) -> None:
    """End the calls to the adapter, and the motion of the round."""
    names = names_at_adapter(context.config)
    for call in context.calls.running():
        if call.endpoint is not None and call.endpoint.name in names:
            context.calls.apply(call.session_id, CallInput.LOSE, reason=reason)
    if context.round.asked is not None and context.round.under_way:
        context.round = replace(context.round, cut_short=Reason(CallError.LOST, reason))


def _keep_result(context: ToolAccess, session_id: str) -> None:
    """The round's tool is done, though it may be preempted before it can read that.

    A timed motion is not: its server has only begun it.
    """
    call, tool = context.calls.get(session_id), context.proposed_tool
    if call is None or tool is None or tool.skill.motion is not None:
        return
    if (call.call_id, call.skill) != (context.round.call_id, tool.name):
        return
    done = result_of(tool, call)
    if done.result.ok:
        context.round = replace(context.round, last_word=done.result)


def _report_first_feedback(context: ToolAccess, name: str, answer: SessionAnswer) -> None:
    """What is ahead, such as the path's length; how it goes on stands in the tree."""
    tool = context.registry.get(name)
    words = progress_in_words(answer.fields, tool.skill.result.units if tool else {})
    if words:
        data: TraceData = {'feedback': dict(answer.fields)}
        context.tracer.emit('OBSERVE', f'{name}: {words}', tool_name=name, data=data)
    why_long = long_path(context, answer.fields)
    if why_long:
        context.tracer.emit('OBSERVE', f'{name}: {why_long}', tool_name=name)


def apply_approval(context: ApprovalAccess, event: ApprovalGiven) -> None:
    """Brings an answer to the registry, and tells who gave it what came of it."""
    ruling = _resolve(context, event)
    answer: dict[str, Any] = {
        'id': event.request_id,
        'action': event.action,
        'word': event.word,
        'ruling': ruling.message,
    }
    if event.arguments is not None:
        answer['arguments'] = dict(event.arguments)
    hci = replace(context.state.hci, approval_response={**answer, 'accepted': ruling.accepted})
    context.replace(hci=hci)
    word = f' ({event.word})' if event.word else ''
    said = f'{event.action} by {event.source}{word}: {ruling.message}'
    if ruling.accepted:
        told = {**answer, 'source': event.source, 'amounts_to': _changed_to(context, event)}
        context.tracer.emit('OBSERVE', said, data={'approval': told})
    else:
        context.tracer.emit(
            'ERROR', said, ok=False, error_reason=ruling.message, data={'approval': answer}
        )
    event.reply(ruling.accepted, ruling.message)


def facts_now(context: Facts, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The state that matters for a call, as it is in this tick.

    Also what is asked at the start alone: until it is sent, the call has not begun.
    """
    view = context.guards.view_of(tool, arguments)._replace(running=False)
    readings = (precondition.read(view) for precondition in tool.preconditions)
    robot = context.state.robot
    moves = tool.drives and robot.pose_at is not None
    return situation_of(readings, robot.pose if moves else None)


def changed_since_approval(context: Facts) -> str | None:
    """Why the round's approval does not hold any more; None if it does, or none was needed.

    What the tree itself has made true since then, under policy `resolve`, counts for nothing.
    """
    agreed, resolved = context.round.agreed, context.round.resolved
    if agreed is None:
        return None
    now = facts_now(context, context.registry[agreed.tool], agreed.arguments)
    return what_changed(_without(agreed.facts, resolved), _without(now, resolved))


def _without(facts: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if name not in names}


def _changed_to(context: ApprovalAccess, event: ApprovalGiven) -> str:
    """What the call comes to as the operator changed it; empty: it was not, or it says it all."""
    if event.action != 'edit' or event.arguments is None:
        return ''
    entry = context.approvals.entry(event.request_id)
    robot = context.state.robot
    pose = None if robot.pose_at is None else robot.pose
    return one_line(amounts_to(context.registry[entry.request.tool], entry.arguments, pose))


def _resolve(context: ApprovalAccess, event: ApprovalGiven) -> ApprovalOutcome:
    context.approvals.expire(context.now.steady)
    request = context.approvals.find(event.request_id)
    if isinstance(request, ApprovalOutcome):
        return request
    tool = context.registry[request.tool]
    arguments = event.arguments
    if event.action == 'edit' and arguments is not None:
        arguments = tool.given(arguments)
        fault = tool.refuse_arguments(arguments)
        if fault:
            call = call_in_words(tool.name, arguments)
            said = f'{call} cannot be called: {fault.sentence}. The request still waits'
            return ApprovalOutcome(RulingCode.NOT_FITTING, said)
        arguments = tool.effective(arguments)
    answer = Approval(event.action, arguments, event.word, event.source)
    facts = facts_now(context, tool, request.arguments)
    return context.approvals.resolve(request.request_id, answer, facts, context.now.steady)


Apply = Callable[[Context, Any], None]

APPLY: Mapping[type[Input], Apply] = {
    SessionAnswer: apply_answer,
    ApprovalGiven: apply_approval,
    ParametersSet: lambda context, given: context.reconfigure(given.values),
    ReadinessSeen: lambda context, given: context.readiness.update(given.not_ready),
    GoalCancelled: lambda context, given: goal_transitions.cancel(
        context, given.task_id, given.reason
    ),
}


def carry_out(context: Context, drives: DriveAccount, effect: Effect) -> None:
    """Carry out one effect. A pose goes to `drives`."""
    if isinstance(effect, Forward):
        if isinstance(effect.given, PoseSeen):
            drives.update(effect.given)
        else:
            APPLY[type(effect.given)](context, effect.given)
    elif isinstance(effect, Emit):
        context.tracer.emit(effect.kind, effect.message, **effect.fields)
    elif isinstance(effect, Reply):
        effect.to.reply(effect.accepted, effect.sentence)
    elif isinstance(effect, EndAtOnce):
        goal_transitions.end_at_once(context, effect.task, effect.outcome, effect.answer)
    elif isinstance(effect, LoseCalls):
        lose_adapter_calls(context, effect.reason)
    elif context.task is not None:
        context.progress.energy_pct += effect.used_pct
