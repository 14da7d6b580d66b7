"""Answers of humans to requests: brought to the registry, and told to whoever gave them."""

from __future__ import annotations

from typing import Any

from bt_executive.approval.approval_registry import (
    ApprovalAnswer,
    ApprovalOutcome,
    ApprovalOutcomeCode,
)
from bt_executive.core.inputs import ApprovalGiven
from bt_executive.skills.call_effect import describe_call
from bt_executive.tree.context_roles import ApprovalAccess
from bt_executive.tree.situation_at_approval import facts_now
from rover_common.call_text import format_call
from rover_common.dataclass_replace import replace
from rover_common.printable import one_line


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


def _changed_to(context: ApprovalAccess, event: ApprovalGiven) -> str:
    """What the call comes to as the operator changed it; empty: it was not, or it says it all."""
    if event.action != 'edit' or event.arguments is None:
        return ''
    entry = context.approvals.entry(event.request_id)
    robot = context.state.robot
    pose = None if robot.pose_at is None else robot.pose
    return one_line(describe_call(context.registry[entry.request.tool], entry.arguments, pose))


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
            call = format_call(tool.name, arguments)
            said = f'{call} cannot be called: {fault.sentence}. The request still waits'
            return ApprovalOutcome(ApprovalOutcomeCode.NOT_FITTING, said)
        arguments = tool.effective(arguments)
    answer = ApprovalAnswer(event.action, arguments, event.word, event.source)
    facts = facts_now(context, tool, request.arguments)
    return context.approvals.resolve(request.request_id, answer, facts, context.now.steady)
