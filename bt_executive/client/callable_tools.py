"""Tools that operators and agents can call: of the variant, to a place, and driving by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rover_common.config.settings import Config, Skill
from rover_common.config.settings.skills import Destination


def variant_tools(config: Config) -> dict[str, Skill]:
    """Return the tools of the configured variant, by name."""
    skills = config.robot.tools
    return {
        name: skill for name, skill in skills.items() if config.executive.variant in skill.variants
    }


def tools_offered_to_agents(config: Config) -> dict[str, Skill]:
    """Return the tools that agents and the planner may call: not the steps of other tools."""
    return {name: skill for name, skill in variant_tools(config).items() if skill.offered}


def destination_tool(tools: Mapping[str, Skill]) -> tuple[str, Destination] | None:
    """Return the first tool that drives to a place and requires x and y only, with both names."""
    for name, skill in tools.items():
        destination = skill.destination
        required = {*skill.args_schema.get('required', ())}
        if destination and required <= {destination.x, destination.y}:
            return name, destination
    return None


@dataclass(frozen=True)
class ManualMotion:
    """A motion of manual driving: the call of a tool.

    `duration_arg`: the argument for its duration in s; empty: the motion ends by itself.
    """

    tool: str
    arguments: Mapping[str, Any]
    duration_arg: str = ''

    def accepts(self, seconds: Sequence[float]) -> bool:
        """Return whether it can be called with this duration, or without one."""
        return not seconds or (bool(self.duration_arg) and len(seconds) == 1 and seconds[0] > 0.0)


def manual_motions(tools: Mapping[str, Skill]) -> dict[str, ManualMotion]:
    """Return the motions of manual driving by their keywords."""
    return {
        keyword: ManualMotion(name, arguments, skill.motion.duration_arg if skill.motion else '')
        for name, skill in tools.items()
        for keyword, arguments in skill.by_hand.items()
    }


def held_motion(tool: Skill) -> str:
    """Return a tool's motion that can be held in manual mode; empty: it has none.

    It is the key of the tool's endpoint (topics.yaml, adapter).
    """
    return str(tool.endpoint).rpartition('.')[2] if tool.motion and tool.by_hand else ''
