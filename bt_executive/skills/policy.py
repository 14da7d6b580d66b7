"""Guard policies: which refused precondition the tree satisfies itself, and with which tool."""

from __future__ import annotations

from collections.abc import Mapping

from bt_executive.skills.registry import Registry, Tool
from rover_common.config.settings import GuardSettings


def resolvers_of(tool: Tool, registry: Registry, guards: GuardSettings) -> Mapping[str, Tool]:
    """Precondition → the tool that brings it about, for those under policy `resolve`."""
    return {
        each.name: registry[guards.resolve_by[each.name]]
        for each in tool.preconditions
        if guards.policy.get(each.name) == 'resolve'
        and guards.resolve_by.get(each.name) in registry
    }
