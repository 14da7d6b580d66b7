"""Determines how the active goal ends, by the acts that it requests and those that it has done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import math

from bt_executive.core.done_when import not_met, read_done_when
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.goal_outcome import (
    EDITED_TO,
    Ending,
    Evidence,
    Role,
    end_of_goal,
    end_of_tool,
    is_confirmed,
    not_confirmed,
)
from bt_executive.core.goal_queue import Task
from bt_executive.core.requested_acts import (
    ConfirmedAct,
    RequestedAct,
    RequestedActs,
    missing_acts,
)
from bt_executive.core.round_decision import PlannerEnd
from bt_executive.core.stop_and_question_phrases import is_question
from bt_executive.skills.tool_registry import Registry, Tool
from bt_executive.tree.confirm_and_note_tool_results import (
    has_postcondition,
    measured,
    role_of,
    stands,
    why_not_confirmed,
)
from bt_executive.tree.context_roles import GoalAccess
from rover_common.json_values import finite_number

READING_S = 10.0  # at most, at the end of a goal, for reading its text


def begin_reading(context: GoalAccess, task: Task) -> None:
    """Start to read the text of a goal, unless that was started or is not needed."""
    if task.tool or task.done_when or is_question(task.goal):
        return
    if context.requested_acts is None or context.requested_acts[0] != task.task_id:
        context.requested_acts = (
            task.task_id,
            context.reader.read(task.goal, context.registry.toolset()),
        )


def requested_acts(context: GoalAccess, task: Task) -> RequestedActs | None:
    """Return the requested acts of a goal; None: its text is still being read."""
    begin_reading(context, task)
    if context.requested_acts is None or context.requested_acts[0] != task.task_id:
        return RequestedActs()
    return context.requested_acts[1].result


def is_being_read(context: GoalAccess, task: Task) -> bool:
    """Return whether the planner has ended the goal as done while its text is still being read."""
    this = context.round
    until = (this.ended_at or 0.0) + READING_S
    done = (PlannerEnd.ANSWERED, PlannerEnd.FINISHED)
    if this.planner_end is None or this.planner_end.code not in done:
        return False
    if context.now.steady >= until or requested_acts(context, task) is not None:
        return False
    context.wake_at(steady=until)
    return True


def unfinished_acts(context: GoalAccess, requested: RequestedActs) -> tuple[str, ...]:
    """Return the requested acts that no confirmed act of the goal has done, as clauses."""
    controls, registry = measured_controls(context, requested), context.registry
    acts = tuple(act for act in requested.acts if _may_act(registry, act, controls))
    done = tuple(_confirmed_acts(context, controls))
    return missing_acts(RequestedActs(acts, requested.unknown), done, _Acts(context, done))


def measured_controls(context: GoalAccess, requested: RequestedActs) -> frozenset[str]:
    """Return the executive's own tools that a goal requests with an amount: "wait 5 seconds".

    The executive measures them itself, so they are acts of such a goal. They are no acts of any
    other goal: a wait does not reach a rock. Nor are they of one that asks for an answer, too: a
    wait is no evidence of what is said after it.
    """
    tools = [(act, context.registry.get(act.tools[0])) for act in requested.acts if act.tools]
    if any(tool and role_of(tool) is Role.READ for _, tool in tools):
        return frozenset()
    with_amounts = (tool for act, tool in tools if act.amounts)
    return frozenset(tool.name for tool in with_amounts if tool and role_of(tool) is Role.CONTROL)


def _may_act(registry: Registry, requested: RequestedAct, controls: frozenset[str]) -> bool:
    return not requested.tools or _is_act(registry.get(requested.tools[0]), controls)


def _is_act(tool: Tool | None, controls: frozenset[str]) -> bool:
    return tool is not None and (role_of(tool) is Role.ACT or tool.name in controls)


def _confirmed_acts(context: GoalAccess, controls: frozenset[str]) -> Iterator[ConfirmedAct]:
    for proposal, result in context.progress.history:
        tool = context.registry.get(proposal.tool)
        if tool is not None and _is_act(tool, controls) and is_confirmed(result):
            driven_m = finite_number(result.data.get('driven_m'))
            yield ConfirmedAct(tool.name, proposal.arguments, driven_m, EDITED_TO in result.data)


class _Acts:
    """Implements `core.requested_acts.Acts` by the robot's tools and its state."""

    def __init__(self, context: GoalAccess, done: tuple[ConfirmedAct, ...]) -> None:
        self._context, self._done = context, done

    def does(self, act: ConfirmedAct, asked: RequestedAct) -> bool:
        """See `Acts.does`.

        A drive to the place counts for one that is requested differently. For a request without
        coordinates, any drive may have gone there.
        """
        if act.edited and act.tool in asked.tools:
            return True  # the operator has replaced it
        tools = self._context.registry
        tool, wanted = tools[act.tool], tools[asked.tools[0]]
        place = wanted.destination(asked.arguments)
        if place is not None:
            there, named = tool.destination(act.arguments), wanted.skill.destination
            return (
                there is not None
                and named is not None
                and math.dist(there, place) <= named.within_m
            )
        if act.tool in asked.tools or wanted.skill in tool.made_of:
            return True
        return tool.drives and wanted.drives and (_goes_somewhere(tool) or _goes_somewhere(wanted))

    def holds(self, asked: RequestedAct) -> bool:
        """See `Acts.holds`: it is measured now, or an act needed it."""
        context = self._context
        for name in asked.tools:
            tool = context.registry[name]
            place = tool.destination(asked.arguments)
            if place is not None and tool.skill.destination is not None:
                here = context.state.robot.pose
                distance = math.dist(place, (here.x, here.y))
                if context.pose_is_current() and distance <= tool.skill.destination.within_m:
                    return True
            if tool.stops and stands(context):
                return True
            if tool.skill.postcondition and (
                has_postcondition(context, tool) or self._needed(tool)
            ):
                return True
        return False

    def share(self, act: ConfirmedAct, asked: RequestedAct) -> float | None:
        """See `Acts.share`; for drives, and for the executive's own tools."""
        tool = self._context.registry[act.tool]
        if act.edited or (not tool.drives and role_of(tool) is not Role.CONTROL):
            return None
        name, wanted = asked.amounts.get(act.tool, ('', 0.0))
        motion = tool.skill.motion
        if wanted and motion is not None and motion.duration_arg == name:
            return tool.motion_seconds(act.arguments) / abs(wanted)
        if wanted:
            given = finite_number(act.arguments.get(name))
            return None if given is None else abs(given / wanted)
        if asked.seconds and motion is not None:
            return tool.motion_seconds(act.arguments) / asked.seconds
        if asked.metres and act.driven_m is not None:
            return act.driven_m / asked.metres
        return None

    def _needed(self, wanted: Tool) -> bool:
        """Return whether a guard of a confirmed act needs the tool's postcondition."""
        config, state = self._context.config.robot, wanted.skill.postcondition.items()
        return any(
            state <= config.guards[guard].where.items()
            for act in self._done
            for guard in config.tools[act.tool].guards
            if guard in config.guards
        )


def _goes_somewhere(tool: Tool) -> bool:
    return any(each.destination is not None for each in tool.made_of)


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
