"""The robot's tools as MCP describes tools: schema, hints, and the cost in the description."""

from __future__ import annotations

from mcp_types import Tool, ToolAnnotations

from bt_executive.approval.approval_rules import needs_human
from bt_executive.client.callable_tools import offered_to_agents
from bt_executive.skills.endpoints import is_stop
from rover_common.config.settings import Config, Skill
from rover_common.errors import UsageError

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
        for name, skill in offered_to_agents(config).items()
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
