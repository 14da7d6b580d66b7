"""The objections to a drive to a place, which the page shows before it is asked for.

The guards of the tree decide; objections are the same conditions on the same state in advance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bt_executive.core.guards import read_condition
from bt_executive.core.state import BrainState
from bt_executive.skills.tool_registry import resolver_of
from rover_common.config.settings import Config, Skill


@dataclass(frozen=True)
class Objection:
    """A guard that would refuse. `helper`: the tool that makes its condition true, or empty."""

    guard: str
    reason: str
    helper: str = ''


def objections(
    tool: str, skills: Mapping[str, Skill], state: BrainState, config: Config
) -> tuple[Objection, ...]:
    """Return the guards on the robot's state that would refuse a tool, in their order.

    `skills`: the tools of the configured variant, by name.
    """
    robot, found = config.robot, []
    for guard in skills[tool].guards if tool in skills else ():
        condition = robot.guards.get(guard)
        if (
            condition is None
            or condition.plugin
            or config.executive.variant not in condition.variants
        ):
            continue
        reading = read_condition(
            guard, condition, robot.types, state.robot.parts, state.robot.parts_unknown
        )
        if not reading.allowed:
            found.append(Objection(guard, reading.reason, resolver_of(guard, config, skills)))
    return tuple(found)
