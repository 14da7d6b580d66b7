"""What shows that a tool has done what its server says: a measurement, where there is one."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from bt_executive.core.configured_guards import holds
from bt_executive.core.done_when import Measurement
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.goal_outcome import NOT_CONFIRMED, Role
from bt_executive.core.result_text import format_value
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.context_roles import ReadAccess
from rover_common.config.settings import PartValue
from rover_common.dataclass_replace import replace

UNKNOWN_PLACE = "the robot's place is not known"
CONFIRM_WAIT_S = 2.0  # for what shows that a tool has done what its server says
NOT_SHOWN = 'its server says that it is done, but {doubt}'  # it could be, and time is over


def doubt_of_round(facts: ReadAccess) -> str:
    """Return why nothing measured shows what the round's server says; empty: it is shown."""
    tool, this = facts.proposed_tool, facts.round
    if not this.ran or tool is None or this.proposal is None or not this.outcome.ok:
        return ''
    return why_not_confirmed(facts, tool, this.proposal.arguments, this.outcome)


def may_still_be_seen(facts: ReadAccess) -> bool:
    """Return whether a state that shows it may come; motions and topics were measured already."""
    tool, until = facts.proposed_tool, (facts.round.ended_at or 0.0) + CONFIRM_WAIT_S
    if tool is None or facts.now.steady >= until:
        return False
    if tool.skill.motion is not None or tool.skill.topic is not None:
        return False
    facts.wake_at(steady=until)
    return True


def why_not_confirmed(
    facts: ReadAccess, tool: Tool, arguments: Mapping[str, Any], result: ToolResult
) -> str:
    """Return why nothing measured shows that the tool has done its work; empty: it is shown.

    Empty, too, where nothing can be measured: then its server's word counts.
    """
    if tool.skill.motion is not None:
        unknown = tool.skill.motion.speed_m_s > 0.0 and result.data.get('driven_m') is None
        return 'how far the robot came was not measured' if unknown else ''
    if tool.stops:
        return '' if stands(facts) else 'it is not known that the robot stands'
    if tool.skill.topic is not None and not tool.skill.postcondition:
        return 'it was published, and nothing measures what came of it'
    if tool.skill.postcondition:
        return _not_brought_about(facts, tool)
    destination = tool.destination(arguments)
    return '' if destination is None else _not_there(facts, tool, destination)


def as_shown(
    facts: ReadAccess, tool: Tool, arguments: Mapping[str, Any], result: ToolResult
) -> tuple[ToolResult, str]:
    """Return the result of a member of a composite, and why it is not shown, though it could be.

    What nothing could show stands in the result.
    """
    doubt = why_not_confirmed(facts, tool, arguments, result)
    if doubt and (tool.skill.topic is None or tool.waits_for_postcondition):
        return result, doubt
    return replace(result, data={**result.data, NOT_CONFIRMED: doubt}) if doubt else result, ''


def role_of(tool: Tool | None) -> Role:
    """Return what a result of the tool says of the world; None: there is no such tool."""
    if tool is None:
        return Role.ACT
    if tool.skill.reads_only or not tool.skill.acts:
        return Role.READ
    is_own = tool.skill.interface_type == 'internal'
    is_word = is_own and not (tool.skill.steps or tool.skill.plan)
    return Role.CONTROL if is_word else Role.ACT


def measured(
    facts: ReadAccess, *, driven_m: float, score: float | None, is_good: bool | None
) -> Measurement:
    """Return what is known now, and not old, of robot and goal. Distance in m, score 0 to 1."""
    robot = facts.state.robot
    reports, located = facts.adapter_alive(), facts.pose_is_current()
    has_charge = robot.battery_at is not None and not robot.battery_stale
    values = {
        **current_parts(facts),
        'at_rest': stands(facts) if reports else None,
        'battery_pct': robot.battery_pct if has_charge else None,
        'driven_m': driven_m if located else None,
        'is_good': is_good,
        'score': score,
    }
    return Measurement(values, (robot.pose.x, robot.pose.y) if located else None)


def current_parts(facts: ReadAccess) -> dict[str, PartValue | None]:
    """Return what is known now of `state`; nothing of a silent adapter's."""
    reports, config = facts.adapter_alive(), facts.config.robot
    parts = facts.state.robot.parts.items()
    return {name: each for name, each in parts if reports or name in config.from_topics}


def brought_about(facts: ReadAccess, tool: Tool) -> bool:
    """Return whether what the tool is to bring about is measured to be so."""
    return not _not_brought_about(facts, tool)


def stands(facts: ReadAccess) -> bool:
    """Return whether the robot is known to stand."""
    robot = facts.state.robot
    at_rest = robot.moving is False if robot.at_rest is None else robot.at_rest
    return at_rest and not robot.stopping and facts.adapter_alive()


def _not_brought_about(facts: ReadAccess, tool: Tool) -> str:
    where, parts = tool.skill.postcondition, current_parts(facts)
    if not any(field in parts for field in where):
        return f'{", ".join(where)}: not known'
    if holds(where, facts.config.robot.types, parts):
        return ''
    return ', '.join(f'{field} is {format_value(parts.get(field))}' for field in where)


def _not_there(facts: ReadAccess, tool: Tool, destination: tuple[float, float]) -> str:
    named, robot = tool.skill.destination, facts.state.robot
    if named is None or not facts.pose_is_current():
        return UNKNOWN_PLACE
    far = math.dist(destination, (robot.pose.x, robot.pose.y))
    return '' if far <= named.within_m else f'the robot is {far:.2g} m from the place'
