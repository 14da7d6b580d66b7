"""The tools of the configured variant, which operators and agents can call."""

from __future__ import annotations

from collections.abc import Mapping

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
