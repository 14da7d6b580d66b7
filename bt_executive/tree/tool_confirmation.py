"""Confirms the success that a tool's server reports by measurements, where there are some."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from bt_executive.core.done_when import Measurement
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.goal_outcome import NOT_CONFIRMED, Role
from bt_executive.core.guards import holds
from bt_executive.core.value_formatting import format_value
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.context_roles import ReadAccess
from rover_common.config.settings import PartValue
from rover_common.dataclass_replace import replace

UNKNOWN_PLACE = "the robot's place is not known"
CONFIRM_WAIT_S = 2.0  # for a measurement that confirms a reported success
NOT_SHOWN = 'its server says that it is done, but {doubt}'  # without a measurement in time


def doubt_of_round(context: ReadAccess) -> str:
    """Return why no measurement confirms the success of the round's server; empty: one does."""
    tool, this = context.proposed_tool, context.round
    if not this.ran or tool is None or this.proposal is None or not this.outcome.ok:
        return ''
    return why_not_confirmed(context, tool, this.proposal.arguments, this.outcome)


def may_still_be_seen(context: ReadAccess) -> bool:
    """Return whether a confirming state may still arrive; motions were measured already."""
    tool, until = context.proposed_tool, (context.round.ended_at or 0.0) + CONFIRM_WAIT_S
    if tool is None or context.now.steady >= until:
        return False
    if tool.skill.motion is not None or tool.skill.topic is not None:
        return False
    context.wake_at(steady=until)
    return True


def why_not_confirmed(
    context: ReadAccess, tool: Tool, arguments: Mapping[str, Any], result: ToolResult
) -> str:
    """Return why no measurement confirms the success of a tool; empty: one does.

    Empty, too, where nothing can be measured: then its server's word counts.
    """
    if tool.skill.motion is not None:
        unknown = tool.skill.motion.speed_m_s > 0.0 and result.data.get('driven_m') is None
        return 'how far the robot came was not measured' if unknown else ''
    if tool.stops:
        return '' if stands(context) else 'it is not known that the robot stands'
    if tool.skill.topic is not None and not tool.skill.postcondition:
        return 'it was published, and nothing measures what came of it'
    if tool.skill.postcondition:
        return _postcondition_doubt(context, tool)
    destination = tool.destination(arguments)
    return '' if destination is None else _not_there(context, tool, destination)


def as_shown(
    context: ReadAccess, tool: Tool, arguments: Mapping[str, Any], result: ToolResult
) -> tuple[ToolResult, str]:
    """Return the result of a composite's member, and why a possible measurement is missing.

    What nothing could show stands in the result.
    """
    doubt = why_not_confirmed(context, tool, arguments, result)
    if doubt and (tool.skill.topic is None or tool.waits_for_postcondition):
        return result, doubt
    return replace(result, data={**result.data, NOT_CONFIRMED: doubt}) if doubt else result, ''


def role_of(tool: Tool | None) -> Role:
    """Return the role of a tool; see `Role`."""
    if tool is None:
        return Role.ACT
    if tool.skill.reads_only or not tool.skill.acts:
        return Role.READ
    is_own = tool.skill.interface_type == 'internal'
    is_control = is_own and not (tool.skill.steps or tool.skill.plan)
    return Role.CONTROL if is_control else Role.ACT


def measured(
    context: ReadAccess, *, driven_m: float, score: float | None, is_good: bool | None
) -> Measurement:
    """Return the recent values of robot and goal. Distance in m, score 0 to 1."""
    robot = context.state.robot
    reports, located = context.adapter_alive(), context.pose_is_current()
    has_charge = robot.battery_at is not None and not robot.battery_stale
    values = {
        **current_parts(context),
        'at_rest': stands(context) if reports else None,
        'battery_pct': robot.battery_pct if has_charge else None,
        'driven_m': driven_m if located else None,
        'is_good': is_good,
        'score': score,
    }
    return Measurement(values, (robot.pose.x, robot.pose.y) if located else None)


def current_parts(context: ReadAccess) -> dict[str, PartValue | None]:
    """Return the parts of the robot's state; those of a silent adapter are unknown."""
    reports, config = context.adapter_alive(), context.config.robot
    parts = context.state.robot.parts.items()
    return {name: each for name, each in parts if reports or name in config.from_topics}


def has_postcondition(context: ReadAccess, tool: Tool) -> bool:
    """Return whether the tool's postcondition is measured to hold."""
    return not _postcondition_doubt(context, tool)


def stands(context: ReadAccess) -> bool:
    """Return whether the robot is known to stand."""
    robot = context.state.robot
    at_rest = robot.moving is False if robot.at_rest is None else robot.at_rest
    return at_rest and not robot.stopping and context.adapter_alive()


def _postcondition_doubt(context: ReadAccess, tool: Tool) -> str:
    where, parts = tool.skill.postcondition, current_parts(context)
    if not any(field in parts for field in where):
        return f'{", ".join(where)}: not known'
    if holds(where, context.config.robot.types, parts):
        return ''
    return ', '.join(f'{field} is {format_value(parts.get(field))}' for field in where)


def _not_there(context: ReadAccess, tool: Tool, destination: tuple[float, float]) -> str:
    named, robot = tool.skill.destination, context.state.robot
    if named is None or not context.pose_is_current():
        return UNKNOWN_PLACE
    far = math.dist(destination, (robot.pose.x, robot.pose.y))
    return '' if far <= named.within_m else f'the robot is {far:.2g} m from the place'
