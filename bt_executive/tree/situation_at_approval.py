"""The situation of a call that needs approval, compared with the approved one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bt_executive.approval.approval_request import POSE, describe_change
from bt_executive.core.guard_view_and_verdict import GuardReading
from bt_executive.core.robot_state import Pose
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.context_roles import ReadAccess


def facts_now(context: ReadAccess, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the state that matters for a call, in this tick.

    Also what is asked at the start alone: until it is sent, the call has not begun.
    """
    view = context.guards.view_of(tool, arguments)._replace(running=False)
    readings = (precondition.read(view) for precondition in tool.preconditions)
    robot = context.state.robot
    moves = tool.drives and robot.pose_at is not None
    return situation_of(readings, robot.pose if moves else None)


def changed_since_approval(context: ReadAccess) -> str | None:
    """Return why the round's approval does not hold any more; None: it does, or none was needed.

    What the tree itself has made true since then, under policy `resolve`, counts for nothing.
    """
    agreed, resolved = context.round.agreed, context.round.resolved
    if agreed is None:
        return None
    now = facts_now(context, context.registry[agreed.tool], agreed.arguments)
    return describe_change(_without(agreed.facts, resolved), _without(now, resolved))


def _without(facts: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if name not in names}


def situation_of(readings: Iterable[GuardReading], pose: Pose | None) -> dict[str, Any]:
    """Return the situation as JSON values. `pose`: for tools that move the base, if known."""
    facts: dict[str, Any] = {reading.guard: _fact(reading) for reading in readings}
    if pose is not None:
        facts[POSE] = [pose.x, pose.y, pose.yaw]
    return facts


def _fact(reading: GuardReading) -> Any:
    discrete = isinstance(reading.seen, (bool, str))
    return reading.seen if discrete else reading.allowed
