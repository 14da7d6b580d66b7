"""Finds the tool that makes a refused precondition true, and which the tree may call itself."""

from __future__ import annotations

from collections.abc import Mapping

from bt_executive.skills.tool_registry import Registry, Tool
from rover_common.config.settings import Config, GuardSettings, Skill


def resolvers_of(tool: Tool, registry: Registry, guards: GuardSettings) -> Mapping[str, Tool]:
    """Return precondition → the tool that makes it true, for those with policy `resolve`."""
    names = [precondition.name for precondition in tool.preconditions]
    return {
        name: registry[guards.resolve_by[name]]
        for name in names
        if guards.policy.get(name) == 'resolve' and guards.resolve_by.get(name) in registry
    }


def resolver_of(precondition: str, config: Config, skills: Mapping[str, Skill]) -> str:
    """Return the tool that makes a refused precondition true; empty: there is none.

    It is the one of `guards.resolve_by`, else one whose postcondition is the precondition.
    """
    configured = config.executive.guards.resolve_by.get(precondition, '')
    if configured in skills:
        return configured
    condition = config.robot.guards.get(precondition)
    if condition is None or condition.plugin or condition.any_of or condition.but_not:
        return ''
    where = dict(condition.where)
    matching = (name for name, skill in skills.items() if dict(skill.postcondition) == where)
    return next(matching, '')
