"""Compares the acts that the active goal requests with those that it has done."""

from __future__ import annotations

from collections.abc import Iterator
import math

from bt_executive.core.goal_outcome import EDITED_TO, Role, is_confirmed
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
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.tool_confirmation import has_postcondition, role_of, stands
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
