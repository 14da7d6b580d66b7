"""The registry of tools: the robot's tools with their topics, costs, preconditions and resolvers.

It is validated as a whole. A new tool for an existing service or action is a new entry in
robot.yaml. All faults of the registry are reported at start, so that no tool fails later for an
error in the configuration. A resolver is the tool that makes a refused precondition true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
import math
from typing import Any

from bt_executive.core.call_argument_validation import (
    ArgumentFault,
    refuse_arguments,
    without_nulls,
)
from bt_executive.core.executive_ports import ToolOffer, ToolResult
from bt_executive.core.guard_view_and_verdict import MotionAhead
from bt_executive.core.guards import Precondition, preconditions_without_plugins, question_of
from bt_executive.core.state import SkillDef
from bt_executive.core.stop_endpoints import is_stop
from bt_executive.plugins.checked_plugin_calls import read_guard
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import GUARDS
from bt_executive.skills.message_mapping import (
    effective_arguments,
    error_code,
    read_response,
    reason_of,
    request_fields,
)
from bt_executive.skills.registry_validation import registry_faults
from rover_common.config.endpoints import find_endpoint, motion_name
from rover_common.config.settings import (
    Config,
    Endpoint,
    GuardSettings,
    PartCondition,
    Robot,
    Skill,
    Variant,
)
from rover_common.config.settings.gates import DRIVE_MOTION
from rover_common.errors import ConfigError
from rover_common.interface_field_checks import Resolve
from rover_common.reason import Reason
from rover_common.tool_schema import ToolSchema


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


DEFAULT_COST = 1.0


@dataclass(frozen=True)
class Tool:
    """A skill of the configured variant, with everything that it refers to."""

    name: str
    skill: Skill
    endpoint: Endpoint | None  # None: internal
    stop: Endpoint | None  # of a timed motion
    preconditions: tuple[Precondition, ...]
    cost: float
    nudge_s: float
    made_of: tuple[Skill, ...]  # its skill, and those of its steps
    stops: bool = False  # whether it only stops the robot

    @cached_property
    def _schema(self) -> ToolSchema:
        return ToolSchema(self.skill.args_schema)

    def refuse_arguments(self, arguments: Mapping[str, Any]) -> Reason[ArgumentFault] | None:
        """Return why these arguments are invalid; None if they are valid."""
        return refuse_arguments(self._schema, arguments)

    def given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments without those that are null and optional."""
        return without_nulls(self.skill.args_schema, arguments)

    def effective(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with the defaults of those left out."""
        return effective_arguments(self.skill, arguments, self.nudge_s)

    @property
    def motion_to_permit(self) -> str:
        """The motion that a call to its server needs a permit for; empty: none."""
        moves = self.drives or self.skill.gate
        return motion_name(self.skill.endpoint) if self.endpoint and moves else ''

    def motion_seconds(self, arguments: Mapping[str, Any]) -> float:
        """Return the duration of a timed motion, in s."""
        motion = self.skill.motion
        if motion and motion.duration_arg:
            return float(arguments.get(motion.duration_arg, self.nudge_s))
        return self.nudge_s

    def motion_ahead(self, seconds: float) -> MotionAhead | None:
        """Return the motion that the tool makes in `seconds`; None if it makes none."""
        motion = self.skill.motion
        return MotionAhead(motion.speed_m_s, motion.radius_m, seconds) if motion else None

    @property
    def is_gate_motion(self) -> bool:
        """Whether it is a motion that a gate makes itself."""
        return self.endpoint is not None and self.endpoint.type == DRIVE_MOTION

    def gate_motion_ahead(self, arguments: Mapping[str, Any]) -> MotionAhead | None:
        """Return the motion that a gate makes for it, at 1 m/s; None: none, or only a turn.

        Its end is measured, so only its path matters.
        """
        if not self.is_gate_motion:
            return None
        metres = float(arguments.get('distance_m', 0.0))
        radius = float(arguments.get('radius_m', 0.0))
        return MotionAhead(math.copysign(1.0, metres), radius, abs(metres)) if metres else None

    def gate_turn(self, arguments: Mapping[str, Any]) -> float | None:
        """Return the angle in rad by which a gate turns the base for it; None: no turn."""
        if not self.is_gate_motion:
            return None
        return float(arguments.get('angle_rad', 0.0)) or None

    def destination(self, arguments: Mapping[str, Any]) -> tuple[float, float] | None:
        """Return the destination of a call, m in the world frame; None if it has none."""
        names = self.skill.destination
        if names is None or names.x not in arguments or names.y not in arguments:
            return None
        return float(arguments[names.x]), float(arguments[names.y])

    @property
    def drives(self) -> bool:
        """As `Skill.drives`."""
        return self.skill.drives

    @property
    def changes(self) -> tuple[str, ...]:
        """The resources and the parts of the robot's state that a call may change."""
        return (*self.skill.resources_required, *self.skill.postcondition)

    @property
    def guards_read_call(self) -> bool:
        """Whether a guard may depend on its call: on the motion or on other arguments."""
        moves = self.skill.motion is not None or self.skill.destination is not None
        return moves or any(each.asks_arguments for each in self.preconditions)

    @property
    def waits_for_postcondition(self) -> bool:
        """Whether it is done when its postcondition holds, as it publishes and has no response."""
        return self.skill.topic is not None and bool(self.skill.postcondition)

    @property
    def cancellable(self) -> bool:
        """Whether a call can be cancelled."""
        is_action = self.endpoint is not None and self.endpoint.kind == 'action'
        return is_action and self.skill.cancel_supported

    def request(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of the request or goal for valid arguments."""
        return request_fields(self.skill, arguments)

    def read(self, fields: Mapping[str, Any]) -> ToolResult:
        """Return the result in the server's response."""
        return read_response(self.skill.result, fields)

    def reason(self, fields: Mapping[str, Any]) -> str | None:
        """Return the server's reason in a response; None if there is none."""
        return reason_of(self.skill.result, fields)

    def error_code(self, fields: Mapping[str, Any]) -> str | None:
        """Return the server's error code in a response; None if there is none."""
        return error_code(self.skill.result, fields)

    def definition(self) -> SkillDef:
        """Return the tool as it is in the state."""
        skill = self.skill
        return SkillDef(
            name=self.name,
            interface_type=skill.interface_type,
            args_schema=skill.args_schema,
            resources_required=skill.resources_required,
            preemptible=skill.preemptible,
            cancel_supported=skill.cancel_supported,
            timeout_s=skill.timeout_s,
            error_map=dict(skill.error_map),
        )

    def offer(self) -> ToolOffer:
        """Return the tool as it is offered to the model."""
        return ToolOffer(
            name=self.name,
            description=self.skill.description,
            args_schema=self.skill.args_schema,
            cost=self.cost,
            preconditions=tuple(each.name for each in self.preconditions),
        )


class Registry(dict[str, Tool]):
    """Name → tool, for the tools of the configured variant.

    `resolve` returns the fields of interface types; without it types and fields are not checked.

    Raises:
        ConfigError: The registry is invalid; the text lists every fault.
    """

    def __init__(self, config: Config, resolve: Resolve | None = None) -> None:
        faults = registry_faults(config, resolve)
        if faults:
            raise ConfigError('\n'.join(faults))
        variant = config.executive.variant
        preconditions = preconditions_of(variant, config.robot)
        super().__init__(
            {
                name: Tool(
                    name=name,
                    skill=skill,
                    endpoint=find_endpoint(config, skill.endpoint),
                    stop=find_endpoint(config, skill.motion.stop) if skill.motion else None,
                    preconditions=tuple(
                        preconditions[guard] for guard in skill.guards if guard in preconditions
                    ),
                    cost=config.tool_costs.tools.get(name, DEFAULT_COST),
                    nudge_s=config.thresholds.move.nudge_duration_sec,
                    made_of=config.robot.made_of(name),
                    stops=is_stop(config, skill),
                )
                for name, skill in config.robot.tools.items()
                if variant in skill.variants
            }
        )

    def definitions(self) -> dict[str, SkillDef]:
        """Return all tools as they are in the state."""
        return {name: tool.definition() for name, tool in self.items()}

    def toolset(self) -> tuple[ToolOffer, ...]:
        """Return the tools that are offered to the model."""
        return tuple(tool.offer() for tool in self.values() if tool.skill.offered)


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
