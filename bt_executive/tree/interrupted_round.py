"""A round that ends before stock is taken: what came of its tool is counted, traced and kept."""

from __future__ import annotations

from bt_executive.core.error_codes import BATTERY_CRITICAL, SAFETY_VIOLATION, CallError
from bt_executive.core.goal_outcome import not_confirmed
from bt_executive.core.state import Decision, DecisionType, SkillResult
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.note_tool_result import note_score, trace_result
from bt_executive.tree.tool_confirmation import why_not_confirmed
from rover_common.dataclass_replace import replace


def note_abort(context: GoalAccess, reason: str) -> None:
    """Note that SAFE ends the active goal and its running tool."""
    if context.task is None:
        return
    decision = Decision(DecisionType.ABORT, reason)
    context.replace(react=replace(context.state.react, decision=decision))
    if context.round.ran:
        is_lost = context.state.robot.battery_state == 'LOST'
        cut_off(context, decision, BATTERY_CRITICAL if is_lost else SAFETY_VIOLATION)
        context.new_round()


def note_preempted(context: GoalAccess) -> None:
    """Keep the result of a tool that was preempted before its round was evaluated."""
    reason = context.round.outcome.error_reason or 'It was done when it was preempted'
    cut_off(context, Decision(DecisionType.REPLAN, reason), CallError.CANCELLED.value)


def cut_off(context: GoalAccess, decision: Decision, code: str) -> None:
    """End a round before it was evaluated. A question of the tree itself is no step of the goal.

    `code`: of a tool that had not ended by itself.
    """
    proposal, result = context.round.proposal, context.round.outcome
    code = context.round.code or code
    if proposal is None:
        return
    tool = context.registry.get(proposal.tool)
    if tool is not None and result.ok:
        doubt = why_not_confirmed(context, tool, proposal.arguments, result)
        result = not_confirmed(result, doubt) if doubt else result
    has_begun = context.round.ran or context.round.is_rest
    if not has_begun or context.round.owed is not None:
        return
    context.progress.history.append((proposal, result))
    note_score(context, result)
    if tool is None or tool.skill.acts:
        context.progress.steps += 1
    trace_result(context, proposal.tool, result, code)
    metrics = dict(context.round.metrics or context.measure_tool())
    last = SkillResult('CANCELLED', code, decision.reason, metrics)
    if result.ok:
        last = SkillResult('SUCCESS', metrics=metrics)
    context.replace(skills=replace(context.state.skills, last_result=last))
