"""The robot's tools as MCP describes tools: schema, hints, and the cost in the description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mcp_types import Tool, ToolAnnotations

from bt_executive.client.callable_tools import tools_offered_to_agents
from bt_executive.core.needs_approval import needs_human
from bt_executive.core.stop_endpoints import is_stop
from rover_common.config.settings import Config, Skill
from rover_common.errors import UsageError

ROBOT = 'robot'
MUST = 'Which robot.'
ALL = 'Which robot; left out: all of them.'
ONLY = 'Which robot; it may be left out, as there is one.'
Schema = Mapping[str, Any]


def shared_tool(of: Mapping[str, Tool], which: str) -> Tool:
    """Return the tool that stands for those of several robots, by their names.

    The schema tells a model what fits some of them; the tree of the robot judges each call. Where
    hints differ, the more careful one holds. `which`: describes the argument `robot`.
    """
    first, several = next(iter(of.values())), len(of) > 1
    hints = [each.annotations or ToolAnnotations() for each in of.values()]
    return first.model_copy(
        update={
            'description': _description(of),
            'input_schema': _schema([each.input_schema for each in of.values()], of, which),
            'annotations': ToolAnnotations(
                read_only_hint=all(each.read_only_hint for each in hints),
                destructive_hint=any(each.destructive_hint for each in hints),
                idempotent_hint=all(each.idempotent_hint for each in hints),
                open_world_hint=any(each.open_world_hint for each in hints),
            ),
            'meta': {name: each.meta for name, each in of.items()} if several else first.meta,
        }
    )


def _description(of: Mapping[str, Tool]) -> str:
    said = {name: each.description or '' for name, each in of.items()}
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return ' '.join(f'{name}: {text}' for name, text in said.items())


def _schema(schemas: list[Schema], names: Iterable[str], which: str) -> dict[str, Any]:
    """Return what fits one of several schemas of arguments, as `Skill.args_schema` makes them.

    It has no `anyOf` at its top: models are not offered tools with one there.
    """
    forms: dict[str, list[Any]] = {}
    for each in schemas:
        for name, form in each['properties'].items():
            known = forms.setdefault(name, [])
            if form not in known:
                known.append(form)
    robot = {'type': 'string', 'enum': [*names], 'description': which}
    properties = {
        name: found[0] if len(found) == 1 else {'anyOf': found} for name, found in forms.items()
    }
    required = [
        name
        for name in ([ROBOT] if which == MUST else []) + schemas[0].get('required', [])
        if name == ROBOT or all(name in each.get('required', ()) for each in schemas)
    ]
    schema = {**schemas[0], 'properties': {ROBOT: robot, **properties}}
    return schema | {'required': required} if required else schema


GOAL, STOP = 'goal', 'stop_robot'
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
        annotations=ToolAnnotations(
            read_only_hint=False,
            destructive_hint=True,
            idempotent_hint=False,
            open_world_hint=True,
        ),
    ),
    STOP: Tool(
        name=STOP,
        title='Stop the robot',
        description=(
            'Stop the robot at once, and end every goal, whoever gave it. Anybody may do so, at '
            'any time.'
        ),
        input_schema={'type': 'object', 'properties': {}, 'additionalProperties': False},
        annotations=ToolAnnotations(
            read_only_hint=False,
            destructive_hint=True,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    ),
}


def tools_of(config: Config) -> dict[str, Tool]:
    """Every tool of the registry, by name, and our own two.

    Raises:
        UsageError: The registry has a tool of the name of one of ours.
    """
    costs = config.tool_costs.tools
    found = {
        name: _tool(name, skill, config, costs.get(name))
        for name, skill in tools_offered_to_agents(config).items()
    }
    taken = sorted(found.keys() & OWN.keys())
    if taken:
        raise UsageError(
            f'robot.yaml has a tool {taken[0]!r}, which is the name of a tool of `bt-executive '
            'mcp` itself: give it another name.'
        )
    return found | OWN


def asks(name: str, config: Config) -> bool:
    """Whether a call of a tool waits for the operator, as a call of the planner would."""
    stops = is_stop(config, config.robot.tools[name])
    return needs_human(config.executive.approval.mode, config.robot.made_of(name), stops)


def _tool(name: str, skill: Skill, config: Config, cost: float | None) -> Tool:
    moves = set(skill.resources_required) & set(config.robot.moving_resources)
    facts = [
        skill.description,
        '' if cost is None else f'Cost {cost:g} (no unit; cheaper is tried first).',
        _needs(skill, config),
        'Each call waits for the approval of the operator.' if asks(name, config) else '',
    ]
    return Tool(
        name=name,
        title=name.replace('_', ' '),
        description=' '.join(fact for fact in facts if fact),
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
            'needs_approval': asks(name, config),
        },
    )


def _needs(skill: Skill, config: Config) -> str:
    conditions = config.robot.guards
    names = [
        conditions[name].reason if name in conditions else name.replace('_', ' ')
        for name in skill.guards
    ]
    return f'Refused unless: {", ".join(names)}.' if names else ''
