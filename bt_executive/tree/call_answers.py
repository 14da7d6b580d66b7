"""What a server's answer changes: its call, and the round that waits for it."""

from __future__ import annotations

from bt_executive.core.call_states import CallInput
from bt_executive.core.error_codes import CallError
from bt_executive.core.inputs import SessionAnswer
from bt_executive.core.result_text import fields_in_words
from bt_executive.core.trace import TraceData
from bt_executive.tree.call_result import result_of
from bt_executive.tree.context_roles import ToolAccess
from bt_executive.tree.distance_to_target import long_path
from rover_common.config.endpoints import names_at_adapter
from rover_common.reason import Reason
from rover_common.replace import replace


def apply_answer(context: ToolAccess, answer: SessionAnswer) -> None:
    """Apply an answer to its call. One that comes too late for it is traced only."""
    session = context.calls.get(answer.session_id)
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
    elif answer.happened is CallInput.PROGRESS and session and session.progress is None:
        _report_first_feedback(context, session.skill, answer)
    elif answer.happened is CallInput.SUCCEED:
        _keep_result(context, answer.session_id)


def lose_adapter_calls(context: ToolAccess, reason: str) -> None:
    """End the calls to the adapter, and the motion of the round."""
    names = names_at_adapter(context.config)
    for session in context.calls.running():
        if session.endpoint is not None and session.endpoint.name in names:
            context.calls.apply(session.session_id, CallInput.LOSE, reason=reason)
    if context.round.asked is not None and context.round.under_way:
        context.round = replace(context.round, cut_short=Reason(CallError.LOST, reason))


def _keep_result(context: ToolAccess, session_id: str) -> None:
    """The round's tool is done, though it may be preempted before it can read that.

    A timed motion is not: its server has only begun it.
    """
    session, tool = context.calls.get(session_id), context.proposed_tool
    if session is None or tool is None or tool.skill.motion is not None:
        return
    if (session.call_id, session.skill) != (context.round.call_id, tool.name):
        return
    done = result_of(tool, session)
    if done.result.ok:
        context.round = replace(context.round, last_word=done.result)


def _report_first_feedback(context: ToolAccess, name: str, answer: SessionAnswer) -> None:
    """What is ahead, such as the path's length; how it goes on stands in the tree."""
    tool = context.registry.get(name)
    words = fields_in_words(answer.fields, tool.skill.result.units if tool else {})
    if words:
        data: TraceData = {'feedback': dict(answer.fields)}
        context.tracer.emit('OBSERVE', f'{name}: {words}', tool_name=name, data=data)
    why_long = long_path(context, answer.fields)
    if why_long:
        context.tracer.emit('OBSERVE', f'{name}: {why_long}', tool_name=name)
