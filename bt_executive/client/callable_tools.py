"""What can be called by hand: the tools of the variant that is configured."""

from __future__ import annotations

from rover_common.config.settings import Config, Skill


def offered(config: Config) -> dict[str, Skill]:
    """The tools of the variant that is configured, by name."""
    skills = config.robot.tools
    return {
        name: skill for name, skill in skills.items() if config.executive.variant in skill.variants
    }


def offered_to_agents(config: Config) -> dict[str, Skill]:
    """Those that an agent may ask for, as the planner may: steps of other tools are left out."""
    return {name: skill for name, skill in offered(config).items() if skill.offered}
