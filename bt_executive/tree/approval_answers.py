"""Applies the answers of humans to requests for approval, and replies to their senders."""

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
from rover_common.text_sanitizing import one_line


def apply_approval(context: ApprovalAccess, event: ApprovalGiven) -> None:
    """Apply an answer to its request, and reply with the outcome."""
    outcome = _resolve(context, event)
    answer: dict[str, Any] = {
        'id': event.request_id,
        'action': event.action,
        'word': event.word,
        'ruling': outcome.message,
    }
    if event.arguments is not None:
        answer['arguments'] = dict(event.arguments)
    hci = replace(context.state.hci, approval_response={**answer, 'accepted': outcome.accepted})
    context.replace(hci=hci)
    comment = f' ({event.word})' if event.word else ''
    sentence = f'{event.action} by {event.source}{comment}: {outcome.message}'
    if outcome.accepted:
        accepted = {**answer, 'source': event.source, 'amounts_to': _edited_effect(context, event)}
        context.tracer.emit('OBSERVE', sentence, data={'approval': accepted})
    else:
        context.tracer.emit(
            'ERROR', sentence, ok=False, error_reason=outcome.message, data={'approval': answer}
        )
    event.reply(outcome.accepted, outcome.message)


def _edited_effect(context: ApprovalAccess, event: ApprovalGiven) -> str:
    """Return the effect of a call as the operator edited it; empty: not edited, or evident."""
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
            sentence = f'{call} cannot be called: {fault.sentence}. The request still waits'
            return ApprovalOutcome(ApprovalOutcomeCode.NOT_FITTING, sentence)
        arguments = tool.effective(arguments)
    answer = ApprovalAnswer(event.action, arguments, event.word, event.source)
    facts = facts_now(context, tool, request.arguments)
    return context.approvals.resolve(request.request_id, answer, facts, context.now.steady)
