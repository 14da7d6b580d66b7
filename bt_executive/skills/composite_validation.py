"""Faults of composite tools: members, their arguments, and what must not happen at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from bt_executive.skills.unknown_names import unknown
from rover_common.config.settings import Config, Skill
from rover_common.config.settings.composites import TOOL, Plan, reference
from rover_common.tool_schema import ToolSchema

MOST_AT_ONCE = 3  # the live tree stays small (docs/decisions/0105-a-small-live-tree.md)
ALSO_MEMBERS = ('speak', 'wait')  # of the tools that need no server


def composite_faults(config: Config, skill: Skill, guards: list[str]) -> Iterator[str]:
    """Sentences; none if the tool is no composite, or can be carried out.

    `guards`: those that there are.
    """
    plan, tools = skill.plan, config.robot.tools
    if plan is None:
        return
    if skill.endpoint or skill.gate or skill.motion or skill.steps or skill.destination:
        yield 'it is made of other tools, so only they have a server, a gate or a destination.'
    calls = tuple(plan.calls())
    yield from unknown('member', (call.tool for call in calls), tools)
    before: set[str] = set()
    for call in calls:
        if call.tool in tools:
            yield from _member_faults(call.tool, tools[call.tool])
            yield from _argument_faults(call, tools[call.tool], skill, before)
        before.add(call.tool)
    yield from _shape_faults(plan, tools, guards)


def _member_faults(name: str, tool: Skill) -> Iterator[str]:
    is_own = tool.interface_type == 'internal' and tool.plan is None
    if tool.steps or (is_own and name not in ALSO_MEMBERS):
        yield f'member {name} can only be called by itself; name a tool with a server or topic.'
    if tool.motion is not None:
        yield f'member {name} is a timed motion, which runs by itself: drive by a gate instead.'


def fixed_call_faults(call: Plan, tool: Skill) -> Iterator[str]:
    """What is wrong with the arguments of a call that is part of no composite."""
    needed = tool.args_schema.get('required', ())
    if needed and not call.args:
        yield f'{call.tool} needs {", ".join(needed)}: write them as `args`.'
        return
    yield from _argument_faults(call, tool, tool, set())
    for name, value in call.args.items():
        if reference(value) is not None:
            yield f'{call.tool}.{name} is {value}: write a value, for no composite has it.'


def _argument_faults(call: Plan, tool: Skill, composite: Skill, before: set[str]) -> Iterator[str]:
    schema = tool.args_schema
    properties: Mapping[str, Any] = schema['properties']
    yield from unknown(f'{call.tool}: argument', call.args, properties)
    for name in schema.get('required', ()):
        if name not in call.args:
            yield f'{call.tool} needs {name!r}: give it a value, or ${{{name}}}.'
    for name, value in call.args.items():
        named = reference(value)
        if named is None:
            if isinstance(value, str) and '${' in value:
                yield f'{call.tool}.{name} is {value!r:.80}: a reference must be the whole value.'
            elif name in properties and not ToolSchema(properties[name]).is_valid(value):
                yield f'{call.tool}.{name} is {value!r:.80}, which its args do not allow.'
        elif named[1] and named[0] not in before:
            known = ', '.join(sorted(before)) or 'none'
            yield (
                f'{call.tool}.{name} is {value}, and {named[0]} does not run before it: {known}.'
            )
        elif not named[1]:
            yield from unknown(f'{call.tool}.{name}: argument', [named[0]], composite.args)


def _shape_faults(plan: Plan, tools: Mapping[str, Skill], guards: list[str]) -> Iterator[str]:
    yield from unknown('guard', plan.guards, guards)
    if plan.kind == 'retry':
        for call in plan.calls():
            if call.tool in tools and not _is_idempotent(tools[call.tool], tools):
                yield f'retry: {call.tool} is not `idempotent`, so it must not be called again.'
    if plan.kind == 'parallel':
        if len(plan.members) > MOST_AT_ONCE:
            yield f'parallel: it has more than {MOST_AT_ONCE} members: put some into a sequence.'
        for one, other in combinations(plan.members, 2):
            shared = _held(one, tools) & _held(other, tools)
            if shared:
                yield f'parallel: two members need {min(shared)}: put them into a sequence.'
    for member in plan.members:
        if member.kind != TOOL:
            yield from _shape_faults(member, tools, guards)


def _is_idempotent(tool: Skill, tools: Mapping[str, Skill]) -> bool:
    if tool.plan is None:
        return tool.idempotent
    return all(_is_idempotent(tools[each.tool], tools) for each in tool.plan.calls())


def _held(plan: Plan, tools: Mapping[str, Skill]) -> set[str]:
    """Resources, gates and servers that only one call may use at a time."""
    held: set[str] = set()
    for call in plan.calls():
        tool = tools.get(call.tool)
        if tool is None:
            continue
        held |= {*tool.resources_required, *([tool.gate] if tool.gate else [])}
        held |= _held(tool.plan, tools) if tool.plan else {call.tool}
    return held
