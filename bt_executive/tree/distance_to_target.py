"""How far it is to where the tool under way drives to."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from bt_executive.core.long_paths import why_long
from bt_executive.tree.context_roles import Facts
from rover_common.finite_number import finite_number


def distance_to_target(facts: Facts) -> float:
    """Metres: as the server last told, before that in a straight line; 0 without a destination."""
    this, robot = facts.round, facts.state.robot
    asked = this.step or this.proposal
    tool = facts.registry.get(asked.tool) if asked else None
    if asked is None or tool is None or not this.under_way:
        return 0.0
    named, destination = tool.skill.destination, tool.destination(asked.arguments)
    if named is None or destination is None:
        return 0.0
    for session in facts.running_calls():
        left = finite_number((session.progress or {}).get(named.left))
        if session.call_id == this.call_id and left is not None:
            return left
    return 0.0 if robot.pose_at is None else math.dist((robot.pose.x, robot.pose.y), destination)


def long_path(facts: Facts, feedback: Mapping[str, Any]) -> str:
    """Why the path ahead, as a server reports it first, is long for its goal; empty: it is not."""
    asked, robot = facts.round.step or facts.round.proposal, facts.state.robot
    tool = facts.registry.get(asked.tool) if asked else None
    if asked is None or tool is None or robot.pose_at is None:
        return ''
    named, destination = tool.skill.destination, tool.destination(asked.arguments)
    if named is None or destination is None:
        return ''
    left = finite_number(feedback.get(named.left))
    straight = math.dist((robot.pose.x, robot.pose.y), destination)
    return '' if left is None else why_long(left, straight, named.detour)
