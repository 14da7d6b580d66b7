"""Every precondition that a robot has: built in, on its state, and of plug-ins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from bt_executive.core.built_in_guards import Precondition, known_to
from bt_executive.core.configured_guards import question_of
from bt_executive.plugins.checked_plugin_answers import read_guard
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import GUARDS
from rover_common.config.settings import PartCondition, Robot, Variant


def preconditions_of(variant: Variant, robot: Robot) -> Mapping[str, Precondition]:
    """Returns the preconditions that the variant knows, by name.

    Raises:
        ConfigError: A plug-in cannot be loaded.
    """
    plugged = {
        name: _plugged(name, condition)
        for name, condition in robot.guards.items()
        if condition.plugin and variant in condition.variants
    }
    return {**plugged, **known_to(variant, robot)}


def _plugged(name: str, condition: PartCondition) -> Precondition:
    read = partial(read_guard, name, condition, load(GUARDS, condition.plugin))
    return Precondition(name, question_of(name), read, asks_arguments=True)
