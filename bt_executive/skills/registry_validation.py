"""Validation of the registry of tools at start: all faults are listed at once.

The shape of the entries (missing keys, wrong types) is validated by
`rover_common.config.settings`; here it is what they refer to: endpoints, interface types, fields,
preconditions, resources.
"""

from __future__ import annotations

from collections.abc import Iterator

from bt_executive.plugins.installed_plugins import load_faults
from bt_executive.plugins.plugin_interfaces import PLANNERS
from bt_executive.skills.composite_and_fixed_call_validation import charge_faults
from bt_executive.skills.endpoint_validation import type_faults
from bt_executive.skills.gate_validation import gate_faults
from bt_executive.skills.policy_validation import policy_faults
from bt_executive.skills.state_and_guard_validation import (
    done_when_faults,
    field_type_faults,
    part_faults,
)
from bt_executive.skills.tool_validation import tool_faults
from rover_common.config.dotted_keys import unknown_names
from rover_common.config.settings import Config
from rover_common.interface_field_checks import Resolve


def registry_faults(config: Config, resolve: Resolve | None = None) -> list[str]:
    """Return a sentence with file and key for each fault; empty: the registry is valid.

    `resolve` returns the fields of an interface type; without it no type is checked.
    """
    robot_faults = [
        *part_faults(config.robot),
        *field_type_faults(config.robot, resolve),
        *gate_faults(config),
        *type_faults(config),
        *charge_faults(config),
    ]
    for name, skill in config.robot.tools.items():
        skill_faults = tool_faults(config, name, skill, resolve)
        robot_faults += (f'tools.{name}: {fault}' for fault in skill_faults)
    executive_faults = [*policy_faults(config)]
    if planner := config.executive.planner.plugin:
        executive_faults += load_faults(PLANNERS, planner, 'planner.plugin')
    return [
        *(f'robot.yaml: {fault}' for fault in robot_faults),
        *(
            f'tool_costs.yaml names {name!r}, which is not a tool; remove it or add the tool.'
            for name in config.tool_costs.tools
            if name not in config.robot.tools
        ),
        *(f'executive.yaml: {fault}' for fault in executive_faults),
        *(f'prompts.yaml: {fault}' for fault in _example_faults(config)),
        *(f'prompts.yaml: {fault}' for fault in _template_faults(config)),
    ]


def _template_faults(config: Config) -> Iterator[str]:
    for name, template in config.prompts.templates.items():
        if template.done_when is not None:
            key = f'templates.{name}.done_when'
            yield from done_when_faults(template.done_when, config.robot, key)


def _example_faults(config: Config) -> Iterator[str]:
    for number, example in enumerate(config.prompts.few_shot):
        names = (step.tool for step in example.steps)
        yield from unknown_names(f'few_shot.{number}: tool', names, config.robot.tools)
