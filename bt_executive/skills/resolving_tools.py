"""Which tool makes a refused precondition true, and when the tree calls it by itself."""

from __future__ import annotations

from collections.abc import Mapping

from bt_executive.skills.tool_registry import Registry, Tool
from rover_common.config.settings import Config, GuardSettings, Skill


def resolvers_of(tool: Tool, registry: Registry, guards: GuardSettings) -> Mapping[str, Tool]:
    """Precondition → the tool that brings it about, for those under policy `resolve`."""
    return {
        each.name: registry[guards.resolve_by[each.name]]
        for each in tool.preconditions
        if guards.policy.get(each.name) == 'resolve'
        and guards.resolve_by.get(each.name) in registry
    }


def helper_of(precondition: str, config: Config, skills: Mapping[str, Skill]) -> str:
    """The tool that makes a refused precondition true; empty: the configuration names none.

    It is the one of `guards.resolve_by`, else one whose postcondition is what is asked for.
    """
    named = config.executive.guards.resolve_by.get(precondition, '')
    if named in skills:
        return named
    condition = config.robot.guards.get(precondition)
    if condition is None or condition.plugin or condition.any_of or condition.but_not:
        return ''
    wanted = dict(condition.where)
    fits = (name for name, skill in skills.items() if dict(skill.postcondition) == wanted)
    return next(fits, '')
