"""Determines how the active goal ends once its planner, or its one tool, has ended."""

from __future__ import annotations

from collections.abc import Sequence

from bt_executive.core.done_when import not_met, read_done_when
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.goal_outcome import (
    Ending,
    Evidence,
    Role,
    end_of_goal,
    end_of_tool,
    not_confirmed,
)
from bt_executive.core.goal_queue import Task
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.stop_and_question_phrases import is_question
from bt_executive.tree.acts_of_active_goal import (
    READING_S,
    measured_controls,
    requested_acts,
    unfinished_acts,
)
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.tool_confirmation import measured, role_of, why_not_confirmed


def ending_of_tool(context: GoalAccess, task: Task, result: ToolResult) -> Ending:
    """Return the end of a goal that is one tool."""
    return end_of_tool(result, _not_met(context, task))


def ending_of_goal(context: GoalAccess, task: Task, answer: str, finished: bool) -> Ending:
    """Return the end of a goal for which the planner has given its answer; see `end_of_goal`."""
    registry = context.registry
    asked = requested_acts(context, task) or RequestedActs(
        unknown=f'it was not read within {READING_S:g} s'
    )
    words = measured_controls(context, asked)
    evidence = Evidence(
        history=_as_it_is_now(context, context.progress.history),
        role=lambda name: Role.ACT if name in words else role_of(registry.get(name)),
        exists=lambda name: name in registry,
        not_met=_not_met(context, task),
        asks=is_question_goal(task),
        missing_acts=unfinished_acts(context, asked),
    )
    return end_of_goal(answer, finished, evidence)


def _as_it_is_now(
    context: GoalAccess, history: Sequence[tuple[Proposal, ToolResult]]
) -> Sequence[tuple[Proposal, ToolResult]]:
    """Return the steps, the last act of which counts only if what it brought about is still so.

    An earlier act may have been undone on purpose; nothing of the goal has undone the last one.
    """
    for at in reversed(range(len(history))):
        asked, result = history[at]
        tool = context.registry.get(asked.tool)
        if tool is None or role_of(tool) is not Role.ACT:
            continue
        doubt = why_not_confirmed(context, tool, asked.arguments, result) if result.ok else ''
        if not doubt:
            return history
        return (*history[:at], (asked, not_confirmed(result, doubt)), *history[at + 1 :])
    return history


def is_question_goal(task: Task) -> bool:
    """Return whether an answer is all that the goal requests."""
    if task.done_when:
        return read_done_when(task.done_when).answer
    return not task.tool and is_question(task.goal)


def _not_met(context: GoalAccess, task: Task) -> tuple[str, ...] | None:
    """Return the conditions of `done_when` that are not measured now; None: it has none."""
    if not task.done_when:
        return None
    done_when, progress = read_done_when(task.done_when), context.progress
    if done_when.answer:
        return None
    now = measured(
        context,
        driven_m=progress.distance_m,
        score=progress.last_score,
        is_good=progress.last_is_good,
    )
    return not_met(done_when, context.config.robot.types, now)
