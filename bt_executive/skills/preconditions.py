"""The preconditions of a robot: built in, on its state, and of plug-ins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from bt_executive.core.guards import Precondition, preconditions_without_plugins, question_of
from bt_executive.plugins.checked_plugin_answers import read_guard
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import GUARDS
from rover_common.config.settings import PartCondition, Robot, Variant


def preconditions_of(variant: Variant, robot: Robot) -> Mapping[str, Precondition]:
    """Return the preconditions of a variant, by name.

    Raises:
        ConfigError: A plug-in cannot be loaded.
    """
    of_plugins = {
        name: _of_plugin(name, condition)
        for name, condition in robot.guards.items()
        if condition.plugin and variant in condition.variants
    }
    return {**of_plugins, **preconditions_without_plugins(variant, robot)}


def _of_plugin(name: str, condition: PartCondition) -> Precondition:
    read = partial(read_guard, name, condition, load(GUARDS, condition.plugin))
    return Precondition(name, question_of(name), read, asks_arguments=True)
