"""Traces the result of a tool, and notes its score."""

from __future__ import annotations

from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.surroundings_state import with_changes
from bt_executive.core.value_formatting import result_sentence
from bt_executive.tree.context_roles import GoalAccess


def note_score(context: GoalAccess, result: ToolResult) -> None:
    """Note the score of a picture."""
    if result.score is None:
        return
    context.progress.add_score(result.score, bool(result.data.get('is_good')))
    score, is_good = context.progress.last_score, context.progress.last_is_good
    world = with_changes(
        context.state.world,
        last_score=score,
        last_is_good=is_good,
        last_score_ts=context.now.ros,
    )
    context.replace(world=world)


def trace_result(context: GoalAccess, tool: str, result: ToolResult, code: str | None) -> None:
    """Emit the trace event at the end of a tool.

    `code`: of a failure; see `Round.code`.
    """
    context.note_reported(tool)
    context.tracer.emit(
        'RESULT' if result.ok else 'ERROR',
        f'{tool}: {result_sentence(result)}',
        tool_name=tool,
        ok=result.ok,
        error_reason=result.error_reason or None,
        score=result.score,
        data={'result': dict(result.data), **({} if result.ok else {'error_code': code})},
    )
