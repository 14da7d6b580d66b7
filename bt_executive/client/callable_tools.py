"""What can be called by hand: the tools of the variant that is configured."""

from __future__ import annotations

from collections.abc import Mapping

from rover_common.config.settings import Config, Skill
from rover_common.config.settings.skills import Destination


def offered(config: Config) -> dict[str, Skill]:
    """The tools of the variant that is configured, by name."""
    skills = config.robot.tools
    return {
        name: skill for name, skill in skills.items() if config.executive.variant in skill.variants
    }


def offered_to_agents(config: Config) -> dict[str, Skill]:
    """Those that an agent may ask for, as the planner may: steps of other tools are left out."""
    return {name: skill for name, skill in offered(config).items() if skill.offered}


def tool_to_a_place(tools: Mapping[str, Skill]) -> tuple[str, Destination] | None:
    """Return the first tool that drives to a place and needs no more than x and y, and how."""
    for name, skill in tools.items():
        place = skill.destination
        if place and {*skill.args_schema.get('required', ())} <= {place.x, place.y}:
            return name, place
    return None
