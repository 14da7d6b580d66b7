"""The registry of tools: skills.yaml joined with topics.yaml and tool_costs.yaml, checked whole.

A new tool over an existing service is a new entry in skills.yaml. Faults of the registry are
found at start, all at once, so that no tool fails later for a typing error in the configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import math
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match

from bt_executive.errors import ConfigError
from bt_executive.kernel.guards import PRECONDITION_NAMES, Precondition, preconditions
from bt_executive.ports import ToolOffer, ToolResult
from bt_executive.settings import Config, Endpoint, Skill
from bt_executive.skills.response import read_response

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

    def refuse_arguments(self, arguments: Mapping[str, Any]) -> str:
        """Why these arguments cannot be used; empty if they can."""
        if not _finite(arguments):
            return 'Numbers must be finite'
        fault = best_match(Draft202012Validator(self.skill.args_schema).iter_errors(arguments))
        if fault is None:
            return ''
        where = '.'.join(str(part) for part in fault.absolute_path)
        return f'Argument {where!r}: {fault.message:.200}' if where else f'{fault.message:.200}'

    def motion_seconds(self, arguments: Mapping[str, Any]) -> float:
        """How long a timed motion lasts, in s."""
        motion = self.skill.motion
        if motion and motion.duration_arg:
            return float(arguments.get(motion.duration_arg, self.nudge_s))
        return self.nudge_s

    def read(self, fields: Mapping[str, Any]) -> ToolResult:
        """What the server's response means."""
        return read_response(self.skill.result, fields)

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
    """Name → tool, for the tools of the configured variant."""

    def __init__(self, config: Config) -> None:
        faults = list(_faults(config))
        if faults:
            raise ConfigError('\n'.join(f'skills.yaml: {fault}' for fault in faults))
        variant = config.executive.variant
        known = preconditions(config.executive.guards, variant)
        self._tools = {
            name: Tool(
                name=name,
                skill=skill,
                endpoint=endpoint_of(config, skill.endpoint) if skill.endpoint else None,
                stop=endpoint_of(config, skill.motion.stop) if skill.motion else None,
                preconditions=tuple(known[each] for each in skill.preconditions if each in known),
                cost=config.tool_costs.tools.get(name, DEFAULT_COST),
                nudge_s=config.thresholds.move.nudge_duration_sec,
            )
            for name, skill in config.skills.skills.items()
            if variant in skill.variants
        }

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def palette(self) -> tuple[ToolOffer, ...]:
        """All tools as the model sees them."""
        return tuple(tool.offer() for tool in self._tools.values())


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(_finite(each) for each in value.values())
    return all(_finite(each) for each in value) if isinstance(value, list) else True


def stop_endpoints(config: Config) -> tuple[Endpoint, Endpoint]:
    """Where the base is stopped: at the adapter, and at the rover when the adapter is silent.

    Raises:
        ConfigError: A key of executive.yaml names no endpoint of topics.yaml.
    """
    guards = config.executive.guards
    found = []
    for key in ('stop_endpoint', 'fallback_stop_endpoint'):
        endpoint = endpoint_of(config, getattr(guards, key))
        if endpoint is None:
            raise ConfigError(
                f'executive.yaml: guards.{key} is {getattr(guards, key)!r}, which topics.yaml '
                'does not have.'
            )
        found.append(endpoint)
    return found[0], found[1]


def endpoint_of(config: Config, key: str) -> Endpoint | None:
    """The endpoint at a dotted key of topics.yaml; None if there is none."""
    node: Any = config.topics
    for part in key.split('.'):
        node = getattr(node, part, None)
    return node if isinstance(node, Endpoint) else None


def _faults(config: Config) -> Iterator[str]:
    for name, skill in config.skills.skills.items():
        yield from (f'{name}: {fault}' for fault in _skill_faults(config, skill))
    for name in config.tool_costs.tools:
        if name not in config.skills.skills:
            yield f'tool_costs.yaml names {name!r}, which is no skill; remove it or add the skill.'


def _skill_faults(config: Config, skill: Skill) -> Iterator[str]:
    wanted = {'endpoint': skill.endpoint} if skill.interface_type != 'internal' else {}
    if skill.motion:
        wanted['motion.stop'] = skill.motion.stop
    for key, dotted in wanted.items():
        if endpoint_of(config, dotted) is None:
            yield f'{key} is {dotted!r}, which topics.yaml does not have.'
    for each in skill.preconditions:
        if each not in PRECONDITION_NAMES:
            names = ', '.join(sorted(PRECONDITION_NAMES))
            yield f'precondition {each!r} is not known; known are {names}.'
    try:
        Draft202012Validator.check_schema(skill.args_schema)
    except SchemaError as error:
        yield f'args_schema is not a JSON Schema: {error.message}.'
        return
    if skill.args_schema.get('type') != 'object':
        yield 'args_schema must have type: object.'
    argument = skill.motion.duration_arg if skill.motion else ''
    if argument and argument not in skill.args_schema.get('properties', {}):
        yield f'motion.duration_arg {argument!r} is not in args_schema.'
