"""The robot's tools as MCP tools: schema, hints, and the cost in the description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mcp_types import Tool, ToolAnnotations

from bt_executive.client.callable_tools import tools_offered_to_agents
from bt_executive.core.approval_and_breakpoint_rules import needs_human, skills_called
from bt_executive.core.stop_endpoints import is_stop
from rover_common.config.settings import Config, Skill
from rover_common.errors import UsageError

ROBOT = 'robot'
MUST = 'Which robot.'
ALL = 'Which robot; left out: all of them.'
ONLY = 'Which robot; it may be left out, as there is one.'
Schema = Mapping[str, Any]
GOAL, STOP = 'goal', 'stop_robot'
ACTS = {'read_only_hint': False, 'destructive_hint': True}
OWN = {
    GOAL: Tool(
        name=GOAL,
        title='Pursue a goal',
        description=(
            "Hand a whole goal, in words, to the robot's own planner, and wait for its end. It "
            'chooses the tools itself, under the same guards.'
        ),
        input_schema={
            'type': 'object',
            'properties': {'goal': {'type': 'string', 'minLength': 1}},
            'required': ['goal'],
            'additionalProperties': False,
        },
        annotations=ToolAnnotations(**ACTS, idempotent_hint=False, open_world_hint=True),
    ),
    STOP: Tool(
        name=STOP,
        title='Stop the robot',
        description=(
            'Stop the robot at once, and end every goal, whoever gave it. Anybody may do so, at '
            'any time.'
        ),
        input_schema={'type': 'object', 'properties': {}, 'additionalProperties': False},
        annotations=ToolAnnotations(**ACTS, idempotent_hint=True, open_world_hint=False),
    ),
}


def shared_tool(tools: Mapping[str, Tool], robot_description: str) -> Tool:
    """Return the tool that stands for the same tool of several robots, given by robot.

    Its schema accepts what one of them accepts; the tree of the robot validates each call. Where
    hints differ, the more careful one holds. `robot_description`: of the argument `robot`.
    """
    first, several = next(iter(tools.values())), len(tools) > 1
    hints = [tool.annotations or ToolAnnotations() for tool in tools.values()]
    schemas = [tool.input_schema for tool in tools.values()]
    return first.model_copy(
        update={
            'description': _description(tools),
            'input_schema': _schema(schemas, tools, robot_description),
            'annotations': ToolAnnotations(
                read_only_hint=all(hint.read_only_hint for hint in hints),
                destructive_hint=any(hint.destructive_hint for hint in hints),
                idempotent_hint=all(hint.idempotent_hint for hint in hints),
                open_world_hint=any(hint.open_world_hint for hint in hints),
            ),
            'meta': {name: tool.meta for name, tool in tools.items()} if several else first.meta,
        }
    )


def _description(tools: Mapping[str, Tool]) -> str:
    texts = {name: tool.description or '' for name, tool in tools.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ' '.join(f'{name}: {text}' for name, text in texts.items())


def _schema(
    schemas: Sequence[Schema], names: Iterable[str], robot_description: str
) -> dict[str, Any]:
    """Return a schema that accepts what one of the schemas of `Skill.args_schema` accepts.

    It has no `anyOf` at its top: models are not offered tools with one there.
    """
    alternatives: dict[str, list[Any]] = {}
    for schema in schemas:
        for name, argument in schema['properties'].items():
            arguments = alternatives.setdefault(name, [])
            if argument not in arguments:
                arguments.append(argument)
    robot = {'type': 'string', 'enum': [*names], 'description': robot_description}
    properties = {
        name: arguments[0] if len(arguments) == 1 else {'anyOf': arguments}
        for name, arguments in alternatives.items()
    }
    required = [
        name
        for name in ([ROBOT] if robot_description == MUST else []) + schemas[0].get('required', [])
        if name == ROBOT or all(name in schema.get('required', ()) for schema in schemas)
    ]
    merged = {**schemas[0], 'properties': {ROBOT: robot, **properties}}
    return merged | {'required': required} if required else merged


def tools_of(config: Config) -> dict[str, Tool]:
    """Return every tool of the registry, by name, and the two tools of this server.

    Raises:
        UsageError: A tool of the registry has the name of one of this server.
    """
    costs = config.tool_costs.tools
    tools = {
        name: _tool(name, skill, config, costs.get(name))
        for name, skill in tools_offered_to_agents(config).items()
    }
    conflicts = sorted(tools.keys() & OWN.keys())
    if conflicts:
        raise UsageError(
            f'robot.yaml has a tool {conflicts[0]!r}, which is the name of a tool of '
            '`bt-executive mcp` itself: give it another name.'
        )
    return tools | OWN


def needs_approval(name: str, config: Config) -> bool:
    """Return whether a call of a tool waits for an approval, as one of the planner does."""
    stops = is_stop(config, config.robot.tools[name])
    return needs_human(config.executive.approval.mode, skills_called(config, name), stops)


def _tool(name: str, skill: Skill, config: Config, cost: float | None) -> Tool:
    moves = set(skill.resources_required) & set(config.robot.moving_resources)
    sentences = [
        skill.description,
        '' if cost is None else f'Cost {cost:g} (no unit; cheaper is tried first).',
        _preconditions(skill, config),
        'Each call waits for the approval of the operator.'
        if needs_approval(name, config)
        else '',
    ]
    return Tool(
        name=name,
        title=name.replace('_', ' '),
        description=' '.join(filter(None, sentences)),
        input_schema={'type': 'object', **skill.args_schema},
        annotations=ToolAnnotations(
            read_only_hint=skill.reads_only,
            destructive_hint=bool(moves),
            idempotent_hint=skill.idempotent,
            open_world_hint=bool(skill.endpoint),
        ),
        _meta={
            'cost': cost,
            'resources': list(skill.resources_required),
            'timeout_s': skill.timeout_s,
            'needs_approval': needs_approval(name, config),
        },
    )


def _preconditions(skill: Skill, config: Config) -> str:
    """Return what must hold, with the exact reason of a refusal where the robot's file has one."""
    guards, variant = config.robot.guards, config.executive.variant
    held = [
        f'{name.replace("_", " ")} (else “{guards[name].reason}”)'
        if name in guards
        else name.replace('_', ' ')
        for name in skill.guards
        if name not in guards or variant in guards[name].variants
    ]
    return f'Refused unless: {", ".join(held)}.' if held else ''
