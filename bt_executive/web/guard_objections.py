"""Why a guard would refuse a tool now, and the tool that makes its condition true.

The guards of the tree decide; this is the same reading of the same state, shown beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bt_executive.core.configured_guards import read_condition
from bt_executive.core.state import BrainState
from bt_executive.skills.resolving_tools import resolver_of
from rover_common.config.settings import Config, Skill


@dataclass(frozen=True)
class Objection:
    """Why a guard would refuse, and the tool that makes it true; empty: none does."""

    guard: str
    reason: str
    helper: str = ''


def objections(
    tool: str, skills: Mapping[str, Skill], state: BrainState, config: Config
) -> tuple[Objection, ...]:
    """Return what the guards on the robot's state say against a tool, in their order.

    `skills` are the tools of the configured variant, by name.
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
