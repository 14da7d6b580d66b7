"""The registry of tools: the robot's tools joined with topics and tool_costs, checked whole.

A new tool over an existing service or action is a new entry in robot.yaml. Faults of the registry
are found at start, all at once, so that no tool fails later for an error in the configuration.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from functools import cached_property
import math
from typing import Any

from bt_executive.core.argument_validation import ArgumentFault, refuse_arguments, without_nulls
from bt_executive.core.built_in_guards import Precondition
from bt_executive.core.executive_ports import ToolOffer, ToolResult
from bt_executive.core.guard_view import MotionAhead
from bt_executive.core.skills_state import SkillDef
from bt_executive.core.stop_endpoints import is_stop
from bt_executive.skills.message_mapping import (
    effective_arguments,
    error_code,
    read_response,
    reason_of,
    request_fields,
)
from bt_executive.skills.preconditions import preconditions_of
from bt_executive.skills.registry_validation import faults
from rover_common.config.endpoints import find_endpoint, motion_name
from rover_common.config.settings import Config, Endpoint, Skill
from rover_common.config.settings.gated_tools import DRIVE_MOTION
from rover_common.errors import ConfigError
from rover_common.interface_fields import Resolve
from rover_common.reason import Reason
from rover_common.tool_schema import ToolSchema

DEFAULT_COST = 1.0


@dataclass(frozen=True)
class Tool:
    """A skill that this run offers, with everything it refers to."""

    name: str
    skill: Skill
    endpoint: Endpoint | None  # None: internal
    stop: Endpoint | None  # of a timed motion
    preconditions: tuple[Precondition, ...]
    cost: float
    nudge_s: float
    made_of: tuple[Skill, ...]  # its skill, and those of its steps
    stops: bool = False  # it does nothing but stop the robot

    @cached_property
    def _schema(self) -> ToolSchema:
        return ToolSchema(self.skill.args_schema)

    def refuse_arguments(self, arguments: Mapping[str, Any]) -> Reason[ArgumentFault] | None:
        """Why these arguments cannot be used; None if they can."""
        return refuse_arguments(self._schema, arguments)

    def given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments without those that null leaves out."""
        return without_nulls(self.skill.args_schema, arguments)

    def effective(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with what is used for those left out."""
        return effective_arguments(self.skill, arguments, self.nudge_s)

    @property
    def permit_for(self) -> str:
        """What must be permitted for a call to its server; empty: nothing that drives."""
        moves = self.drives or self.skill.gate
        return motion_name(self.skill.endpoint) if self.endpoint and moves else ''

    def motion_seconds(self, arguments: Mapping[str, Any]) -> float:
        """How long a timed motion lasts, in s."""
        motion = self.skill.motion
        if motion and motion.duration_arg:
            return float(arguments.get(motion.duration_arg, self.nudge_s))
        return self.nudge_s

    def motion_ahead(self, seconds: float) -> MotionAhead | None:
        """The motion that the tool makes in `seconds`; None if it makes none."""
        motion = self.skill.motion
        return MotionAhead(motion.speed_m_s, motion.radius_m, seconds) if motion else None

    @property
    def is_gate_motion(self) -> bool:
        """Whether a gate drives it by itself."""
        return self.endpoint is not None and self.endpoint.type == DRIVE_MOTION

    def gate_motion_ahead(self, arguments: Mapping[str, Any]) -> MotionAhead | None:
        """The motion that a gate drives for it, at 1 m/s; None if it drives none, or only turns.

        Its end is measured, so only its path matters.
        """
        if not self.is_gate_motion:
            return None
        metres = float(arguments.get('distance_m', 0.0))
        radius = float(arguments.get('radius_m', 0.0))
        return MotionAhead(math.copysign(1.0, metres), radius, abs(metres)) if metres else None

    def gate_turn(self, arguments: Mapping[str, Any]) -> float | None:
        """The angle in rad by which a gate turns the base for it; None if it does not turn it."""
        endpoint = self.endpoint
        if endpoint is None or endpoint.type != DRIVE_MOTION:
            return None
        return float(arguments.get('angle_rad', 0.0)) or None

    def destination(self, arguments: Mapping[str, Any]) -> tuple[float, float] | None:
        """Where the tool drives to, m in the world frame; None if it has no such place."""
        named = self.skill.destination
        if named is None or named.x not in arguments or named.y not in arguments:
            return None
        return float(arguments[named.x]), float(arguments[named.y])

    @property
    def drives(self) -> bool:
        """Whether the tool may move the base: it says how or where to, or takes the base."""
        skill = self.skill
        return bool(skill.motion or skill.destination or 'base' in skill.resources_required)

    @property
    def looks_ahead(self) -> bool:
        """Whether a guard may read of its call: how the base would move, or its arguments."""
        moves = self.skill.motion is not None or self.skill.destination is not None
        return moves or any(each.asks_arguments for each in self.preconditions)

    @property
    def waits_to_see(self) -> bool:
        """Whether it is done when its postcondition holds: nobody answers to what it publishes."""
        return self.skill.topic is not None and bool(self.skill.postcondition)

    @property
    def cancellable(self) -> bool:
        """Whether the server can be told to end a call."""
        is_action = self.endpoint is not None and self.endpoint.kind == 'action'
        return is_action and self.skill.cancel_supported

    def request(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the request or goal for checked arguments."""
        return request_fields(self.skill, arguments)

    def read(self, fields: Mapping[str, Any]) -> ToolResult:
        """What the server's response means."""
        return read_response(self.skill.result, fields)

    def reason(self, fields: Mapping[str, Any]) -> str | None:
        """The server's own sentence in a response; None if there is none."""
        return reason_of(self.skill.result, fields)

    def error_code(self, fields: Mapping[str, Any]) -> str | None:
        """The server's own error code in a response; None if there is none."""
        return error_code(self.skill.result, fields)

    def definition(self) -> SkillDef:
        """The tool as the state tells it."""
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
        """The tool as the model sees it."""
        return ToolOffer(
            name=self.name,
            description=self.skill.description,
            args_schema=self.skill.args_schema,
            cost=self.cost,
            preconditions=tuple(each.name for each in self.preconditions),
        )


class Registry(Mapping[str, Tool]):
    """Name → tool, for the tools of the configured variant.

    `resolve` tells the fields of interface types; without it types and fields are not checked.

    Raises:
        ConfigError: Something in the registry cannot be used; the text lists every fault.
    """

    def __init__(self, config: Config, resolve: Resolve | None = None) -> None:
        found = faults(config, resolve)
        if found:
            raise ConfigError('\n'.join(found))
        variant = config.executive.variant
        known = preconditions_of(variant, config.robot)
        self._tools = {
            name: Tool(
                name=name,
                skill=skill,
                endpoint=find_endpoint(config, skill.endpoint),
                stop=find_endpoint(config, skill.motion.stop) if skill.motion else None,
                preconditions=tuple(known[each] for each in skill.guards if each in known),
                cost=config.tool_costs.tools.get(name, DEFAULT_COST),
                nudge_s=config.thresholds.move.nudge_duration_sec,
                made_of=config.robot.made_of(name),
                stops=is_stop(config, skill),
            )
            for name, skill in config.robot.tools.items()
            if variant in skill.variants
        }

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def items(self) -> ItemsView[str, Tool]:
        """As of a dictionary, which is several times faster than what `Mapping` makes of it."""
        return self._tools.items()

    def values(self) -> ValuesView[Tool]:
        """See `items`."""
        return self._tools.values()

    def definitions(self) -> dict[str, SkillDef]:
        """All tools as the state tells them."""
        return {name: tool.definition() for name, tool in self._tools.items()}

    def toolset(self) -> tuple[ToolOffer, ...]:
        """The tools that the model is offered, as it sees them."""
        return tuple(tool.offer() for tool in self._tools.values() if tool.skill.offered)
