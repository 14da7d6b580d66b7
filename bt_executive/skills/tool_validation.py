"""Validation of one tool: its guards, resources, arguments, steps, and what it calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_executive.core.error_codes import CallError
from bt_executive.core.guards import BUILT_IN
from bt_executive.plugins.installed_plugins import load_faults
from bt_executive.plugins.plugin_interfaces import BEHAVIOURS
from bt_executive.skills.argument_schema_validation import args_faults
from bt_executive.skills.composite_and_fixed_call_validation import (
    by_hand_faults,
    composite_faults,
)
from bt_executive.skills.endpoint_validation import endpoint_faults, server_faults
from bt_executive.skills.interface_field_validation import field_faults
from bt_executive.skills.published_topic_validation import topic_faults
from rover_common.config.dotted_keys import unknown_names
from rover_common.config.endpoints import find_endpoint
from rover_common.config.settings import Config, Robot, Skill
from rover_common.interface_field_checks import Resolve

# The tools without a server, each with the arguments that it reads and their JSON types.
INTERNAL_TOOLS: Mapping[str, Mapping[str, str]] = {
    'abort': {'reason': 'string'},
    'ask_operator': {'question': 'string'},
    'finish': {'answer': 'string'},
    'go_to_remembered': {'text': 'string'},
    'list_nodes': {},
    'list_services': {},
    'list_topics': {},
    'read_topic': {'topic': 'string'},
    'speak': {'text': 'string'},
    'wait': {'seconds': 'number'},
}
# The tools in steps, each with its steps.
STEPS: Mapping[str, tuple[str, ...]] = {
    'go_to_remembered': ('recall', 'drive', 'look', 'confirm', 'retract')
}
ENDS = ('finish', 'abort', 'ask_operator')  # they end a goal, or make it wait for the operator
ERROR_CODES = frozenset(each.value for each in CallError)
_KINDS = {'ros2_service': 'service', 'ros2_action': 'action', 'ros2_topic': 'topic'}


def precondition_names(config: Config) -> list[str]:
    """Return the names of all preconditions, of any variant."""
    return [*BUILT_IN, *config.robot.guards]


def tool_faults(config: Config, name: str, skill: Skill, resolve: Resolve | None) -> Iterator[str]:
    """Yield a sentence for each fault of a tool.

    `resolve`: see `registry_faults`.
    """
    yield from unknown_names('guard', skill.guards, precondition_names(config))
    yield from unknown_names('resource', skill.resources_required, config.robot.resources)
    if (not skill.result.code or skill.result.codes) and not (skill.steps or skill.plan):
        codes = ERROR_CODES | set(skill.result.codes.values())
        yield from unknown_names('error_map: code', skill.error_map, codes)
    yield from _step_faults(config, name, skill)
    if skill.reads_only and any(_moves(each, config.robot) for each in config.robot.made_of(name)):
        yield (
            'it moves something, or a tool of which it is made does: leave out `reads_only`, or '
            'name in `moving_resources` only those that move.'
        )
    if name in ENDS and (skill.endpoint or skill.plan or skill.behaviour):
        yield 'the tree itself does what this tool is for: give yours another name.'
    faulty_args = list(args_faults(skill))
    yield from faulty_args
    yield from () if faulty_args else by_hand_faults(config, name, skill)
    yield from composite_faults(config, skill, precondition_names(config))
    if skill.plan is not None:
        return
    if skill.behaviour:
        yield from load_faults(BEHAVIOURS, skill.behaviour, 'behaviour')
        return
    if skill.interface_type == 'internal':
        yield from _internal_tool_faults(name)
        yield from _arguments_faults(skill, INTERNAL_TOOLS.get(name, {}))
        return
    endpoint, kind = find_endpoint(config, skill.endpoint), _KINDS[skill.interface_type]
    yield from endpoint_faults(kind, skill.endpoint, endpoint, kind)
    if skill.motion:
        stop = find_endpoint(config, skill.motion.stop)
        yield from endpoint_faults('motion.stop', skill.motion.stop, stop, 'service')
    yield from topic_faults(config, skill, endpoint)
    yield from server_faults(skill, endpoint)
    if endpoint is None or resolve is None:
        return
    try:
        interface = resolve(endpoint.type)
    except LookupError as error:
        yield f'{error.args[0]}.'
    else:
        yield from field_faults(skill, endpoint, interface, has_valid_schema=not faulty_args)


def _moves(skill: Skill, robot: Robot) -> bool:
    moving = not {*robot.moving_resources}.isdisjoint(skill.resources_required)
    return bool(skill.gate or skill.drives or moving)


def _internal_tool_faults(name: str) -> Iterator[str]:
    """A tool without a server must be one of the executive's own."""
    if name not in INTERNAL_TOOLS:
        choices = ', '.join(sorted(INTERNAL_TOOLS))
        yield (
            'it has no service, action or topic, and none of the own tools has this name: '
            f'{choices}.'
        )


def _step_faults(config: Config, name: str, skill: Skill) -> Iterator[str]:
    """A tool in steps must name a tool with a server for each of them."""
    steps, skills = STEPS.get(name, ()), config.robot.tools
    yield from unknown_names('steps: step', skill.steps, steps)
    for step in steps:
        tool = skill.steps.get(step, '')
        if tool not in skills:
            yield f'steps.{step} is {tool!r}, which is not a tool; name one.'
        elif skills[tool].interface_type == 'internal':
            yield f'steps.{step} is {tool!r}, which calls no server; name another.'
    drive = skills.get(skill.steps.get('drive', ''))
    if drive is not None and drive.destination is None:
        yield f'steps.drive is {skill.steps["drive"]!r}, which has no destination.'


def _arguments_faults(skill: Skill, types: Mapping[str, str]) -> Iterator[str]:
    schema = skill.args_schema
    for name, json_type in types.items():
        argument = schema.get('properties', {}).get(name, {})
        is_given = name in schema.get('required', ()) or 'default' in argument
        if not is_given or argument.get('type') != json_type:
            yield (
                f'args must require {name!r} of type {json_type}, which the tool reads, or give '
                'it a default.'
            )
