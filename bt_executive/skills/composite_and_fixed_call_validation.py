"""Validation of the calls in a robot's files: of composites, keywords, charging, the tree's own.

Composites: members, their arguments, and conflicts of parallel members. Fixed calls: keywords of
manual driving, the call to charge, and tools that the tree calls by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from bt_executive.core.guards import STANDING_STILL
from bt_executive.skills.argument_schema_validation import args_schema_faults
from rover_common.config.dotted_keys import unknown_names
from rover_common.config.settings import Config, Skill
from rover_common.config.settings.composites import TOOL, Plan, reference
from rover_common.tool_schema import allows

MOST_AT_ONCE = 3  # the live tree stays small (docs/decisions/0105-a-small-live-tree.md)
ALSO_MEMBERS = ('speak', 'wait')  # of the tools without a server


def composite_faults(config: Config, skill: Skill, guards: list[str]) -> Iterator[str]:
    """Yield a sentence for each fault of a composite tool. `guards`: all names of guards."""
    plan, tools = skill.plan, config.robot.tools
    if plan is None:
        return
    if skill.endpoint or skill.gate or skill.motion or skill.steps or skill.destination:
        yield 'it is made of other tools, so only they have a server, a gate or a destination.'
    calls = tuple(plan.calls())
    yield from unknown_names('member', (call.tool for call in calls), tools)
    earlier: set[str] = set()
    for call in calls:
        if call.tool in tools:
            yield from _member_faults(call.tool, tools[call.tool])
            yield from _argument_faults(call, tools[call.tool], skill, earlier)
        earlier.add(call.tool)
    yield from _standing_faults('guards', skill.guards, plan, tools)
    yield from _shape_faults(plan, tools, guards)


def _member_faults(name: str, tool: Skill) -> Iterator[str]:
    is_internal = tool.interface_type == 'internal' and tool.plan is None
    if tool.steps or (is_internal and name not in ALSO_MEMBERS):
        yield f'member {name} can only be called by itself; name a tool with a server or topic.'
    if tool.motion is not None:
        yield f'member {name} is a timed motion, which runs by itself: drive by a gate instead.'


def fixed_call_faults(call: Plan, tool: Skill) -> Iterator[str]:
    """Yield a sentence for each fault of the arguments of a call outside of a composite."""
    required = tool.args_schema.get('required', ())
    if required and not call.args:
        yield f'{call.tool} needs {", ".join(required)}: write them as `args`.'
        return
    yield from _argument_faults(call, tool, tool, set())
    for name, value in call.args.items():
        if reference(value) is not None:
            yield f'{call.tool}.{name} is {value}: write a value, for no composite has it.'


def _argument_faults(
    call: Plan, tool: Skill, composite: Skill, earlier: set[str]
) -> Iterator[str]:
    schema = tool.args_schema
    properties: Mapping[str, Any] = schema['properties']
    checked = {} if args_schema_faults(schema) else properties
    yield from unknown_names(f'{call.tool}: argument', call.args, properties)
    for name in schema.get('required', ()):
        if name not in call.args:
            yield f'{call.tool} needs {name!r}: give it a value, or ${{{name}}}.'
    for name, value in call.args.items():
        target = reference(value)
        if target is None:
            if isinstance(value, str) and '${' in value:
                yield f'{call.tool}.{name} is {value!r:.80}: a reference must be the whole value.'
            elif name in checked and not allows(schema, name, value):
                yield f'{call.tool}.{name} is {value!r:.80}, which its args do not allow.'
        elif target[1] and target[0] not in earlier:
            choices = ', '.join(sorted(earlier)) or 'none'
            yield (
                f'{call.tool}.{name} is {value}, and {target[0]} does not run before it: '
                f'{choices}.'
            )
        elif not target[1]:
            yield from unknown_names(f'{call.tool}.{name}: argument', [target[0]], composite.args)


def _shape_faults(plan: Plan, tools: Mapping[str, Skill], guards: list[str]) -> Iterator[str]:
    yield from unknown_names('guard', plan.guards, guards)
    yield from _standing_faults('guard', plan.guards, plan, tools)
    if plan.kind == 'retry':
        for call in plan.calls():
            if call.tool in tools and not _is_idempotent(tools[call.tool], tools):
                yield f'retry: {call.tool} is not `idempotent`, so it must not be called again.'
    if plan.kind == 'parallel':
        if len(plan.members) > MOST_AT_ONCE:
            yield f'parallel: it has more than {MOST_AT_ONCE} members: put some into a sequence.'
        for one, other in combinations(plan.members, 2):
            shared = _exclusive(one, tools) & _exclusive(other, tools)
            if shared:
                yield f'parallel: two members need {min(shared)}: put them into a sequence.'
    for member in plan.members:
        if member.kind != TOOL:
            yield from _shape_faults(member, tools, guards)


def _standing_faults(
    key: str, guards: Iterable[str], plan: Plan, tools: Mapping[str, Skill]
) -> Iterator[str]:
    """Yield a fault if a member under these guards would be ended by its own motion."""
    moving = (call.tool for call in plan.calls() if _moves(call.tool, tools))
    mover = next(moving, None) if STANDING_STILL in guards else None
    if mover is not None:
        yield (
            f'{key}: {STANDING_STILL} would refuse the motion of its own member {mover}: name it '
            'for the members that do not move the robot.'
        )


def _moves(name: str, tools: Mapping[str, Skill]) -> bool:
    tool = tools.get(name)
    if tool is None:
        return False
    if tool.plan is not None:
        return any(_moves(call.tool, tools) for call in tool.plan.calls())
    return bool(tool.gate or tool.drives)


def _is_idempotent(tool: Skill, tools: Mapping[str, Skill]) -> bool:
    if tool.plan is None:
        return tool.idempotent
    return all(_is_idempotent(tools[call.tool], tools) for call in tool.plan.calls())


def _exclusive(plan: Plan, tools: Mapping[str, Skill]) -> set[str]:
    """Return the resources, gates and servers that only one call may use at a time."""
    names: set[str] = set()
    for call in plan.calls():
        tool = tools.get(call.tool)
        if tool is None:
            continue
        names |= {*tool.resources_required, *([tool.gate] if tool.gate else [])}
        names |= _exclusive(tool.plan, tools) if tool.plan else {call.tool}
    return names


def by_hand_faults(config: Config, name: str, skill: Skill) -> Iterator[str]:
    """Yield faults of `by_hand`: keywords of two tools, and calls with invalid arguments."""
    others = {
        keyword: other
        for other, tool in config.robot.tools.items()
        if other != name and {*tool.variants} & {*skill.variants}
        for keyword in tool.by_hand
    }
    for keyword, arguments in skill.by_hand.items():
        if keyword in others:
            yield f'by_hand.{keyword} is of {others[keyword]}, too: give one of them another word.'
        call = Plan(kind='tool', tool=name, args=arguments)
        yield from (f'by_hand.{keyword}: {fault}' for fault in fixed_call_faults(call, skill))


def charge_faults(config: Config) -> Iterator[str]:
    """Yield faults of `charge`: the tree calls its tool, with the arguments in the file."""
    charge, tools = config.robot.charge, config.robot.tools
    if charge is None:
        return
    yield from unknown_names('charge.by: tool', [charge.by], tools)
    tool = tools.get(charge.by)
    if tool is None:
        return
    if tool.interface_type == 'internal' and tool.plan is None:
        yield f'charge.by is {charge.by!r}, which calls no server.'
    if config.executive.variant not in tool.variants:
        yield f'charge.by is {charge.by!r}, which variant {config.executive.variant} has not.'
    call = Plan(kind='tool', tool=charge.by, args=charge.args)
    yield from (f'charge: {fault}' for fault in fixed_call_faults(call, tool))


def own_call_faults(key: str, name: str, skill: Skill) -> Iterator[str]:
    """Yield faults of a tool that the tree calls without arguments and without a permit."""
    if skill.interface_type == 'internal':
        yield f'{key} is {name!r}, which calls no server.'
    if skill.drives:
        yield f'{key} is {name!r}, which drives; name a tool that does not.'
    elif skill.gate:
        yield f'{key} is {name!r}, which moves by a gate; name a tool that needs no permit.'
    required = ', '.join(skill.args_schema.get('required', ()))
    if required:
        yield f'{key} is {name!r}, which needs {required}; name a tool that needs no argument.'
