"""Tools made of other tools: `sequence`, `fallback`, `parallel`, `retry`, `timeout`, `guard`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import re
from typing import Annotated, Any, Literal

from pydantic import Field

from rover_common.config.settings.section import Seconds, Section
from rover_common.interface_field_checks import FIELD, FIELD_PATH

SEVERAL = ('sequence', 'fallback', 'parallel')  # the list of their members
AROUND = {'retry': 'times', 'timeout': 'seconds', 'guard': 'that'}  # `do`, and one key more
KINDS = (*SEVERAL, *AROUND)
TOOL = 'tool'
DEEPEST = 8
TOO_DEEP = f'more than {DEEPEST} composites stand within each other, or they call each other'
MOST_CALLS = 16
REFERENCE = re.compile(rf'\$\{{({FIELD})(?:\.result\.({FIELD_PATH}))?\}}')


class Plan(Section):
    """What a composite tool does, or one of its members.

    Attributes:
        kind: `tool` for the call of one.
        tool: Its name.
        args: Of the call: values, `${argument}` of the composite, `${tool.result.field}`.
        members: In their order; one for `retry`, `timeout` and `guard`.
        times: How often `retry` calls it at most.
        seconds: After which `timeout` ends it.
        guards: The guards that `guard` evaluates all the time.
    """

    kind: Literal['tool', 'sequence', 'fallback', 'parallel', 'retry', 'timeout', 'guard']
    tool: str = ''
    args: dict[str, Any] = Field(default_factory=dict)
    members: Annotated[tuple[Plan, ...], Field(strict=False)] = ()
    times: Annotated[int, Field(ge=1, le=10)] = 1
    seconds: Seconds = 60.0
    guards: Annotated[tuple[str, ...], Field(strict=False)] = ()

    def calls(self) -> Iterator[Plan]:
        """The calls of tools, in order."""
        if self.kind == TOOL:
            yield self
        for member in self.members:
            yield from member.calls()


def reference(value: Any) -> tuple[str, str] | None:
    """Return the argument, or the tool and field of its result, that a value names; or None."""
    found = REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return (found[1], found[2] or '') if found else None


def with_composites(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of robot.yaml with composite tools completed."""
    tools = raw.get('tools')
    if not isinstance(tools, dict):
        return dict(raw)
    whole: dict[str, Any] = {}
    sizes: dict[str, tuple[int, int]] = {}
    for name in tools:
        _complete(name, tools, whole, sizes, ())
    return {**raw, 'tools': {name: whole[name] for name in tools}}


def _complete(
    name: str,
    tools: dict[str, Any],
    whole: dict[str, Any],
    sizes: dict[str, tuple[int, int]],
    seen: tuple[str, ...],
) -> None:
    """Complete a tool by its members: resources, and the arguments that they take.

    `sizes`: of composites, their depth, and their calls in all.
    """
    if name in whole:
        return
    tool = whole[name] = tools[name]
    kinds = [kind for kind in KINDS if isinstance(tool, dict) and kind in tool]
    if not kinds:
        return
    if len(seen) >= DEEPEST:
        raise ValueError(f'{seen[0]}: {TOO_DEEP}')
    if name in seen or len(kinds) > 1:
        raise ValueError(f'{name}: it has {" and ".join(kinds)}: write one of them')
    try:
        plan = _plan({kinds[0]: tool[kinds[0]]}, 0)
    except ValueError as error:
        raise ValueError(f'{name}: {error}') from None
    calls = tuple(plan.calls())
    for call in calls:
        if call.tool in seen or call.tool == name:
            raise ValueError(f'{name}: {call.tool} would call itself: remove it from its own plan')
        if call.tool in tools:
            _complete(call.tool, tools, whole, sizes, (*seen, name))
    members_are = [sizes.get(call.tool, (0, 1)) for call in calls]
    depth, count = 1 + max(each[0] for each in members_are), sum(each[1] for each in members_are)
    if depth > DEEPEST:
        raise ValueError(f'{name}: {TOO_DEEP}')
    if count > MOST_CALLS:
        raise ValueError(
            f'{name}: it has more than {MOST_CALLS} calls: let the planner call some of them'
        )
    sizes[name] = depth, count
    entry = {key: each for key, each in tool.items() if key != kinds[0]}
    members = [whole[call.tool] for call in calls if isinstance(whole.get(call.tool), dict)]
    resources = [each for member in members for each in member.get('resources_required') or ()]
    given = tool.get('args') or {}
    if isinstance(given, dict):
        entry['args'] = {**_taken(calls, whole), **given}
    entry.setdefault('resources_required', list(dict.fromkeys(resources)))
    whole[name] = {**entry, 'plan': plan}


def _taken(calls: tuple[Plan, ...], tools: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the composite that members take, with their schema there."""
    taken: dict[str, Any] = {}
    for call in calls:
        tool = tools.get(call.tool)
        args = (tool.get('args') if isinstance(tool, dict) else None) or {}
        for name, value in call.args.items():
            named = reference(value)
            if named is None or named[1] or not isinstance(args, dict):
                continue
            schema = args.get(name)
            schema = dict(schema) if isinstance(schema, dict) else {}
            schema.pop('field', None)
            taken.setdefault(named[0], schema)
    return taken


def _plan(raw: Any, depth: int) -> Plan:
    """Return the plan of a member.

    Raises:
        ValueError: It cannot be read; the message has the remedy.
    """
    if depth > DEEPEST:
        raise ValueError(f'its members are more than {DEEPEST} deep: make tools of some of them')
    if isinstance(raw, str):
        return Plan(kind='tool', tool=raw)
    if not isinstance(raw, dict) or len(raw) != 1:
        raise ValueError(
            f'{raw!r:.80} is no member: write a tool with its arguments, such as '
            '{ pick: { object: cup } }, or one of ' + ', '.join(KINDS)
        )
    kind, content = next(iter(raw.items()))
    if kind in SEVERAL:
        if not isinstance(content, (list, tuple)) or not content:
            raise ValueError(f'{kind} is {content!r:.80}: write the list of its members')
        return Plan(kind=kind, members=tuple(_plan(each, depth + 1) for each in content))
    if kind in AROUND:
        return _around(kind, content, depth)
    if not isinstance(content, dict) and content is not None:
        raise ValueError(f'{kind}: {content!r:.80}: write its arguments, such as {{ x: 1.5 }}')
    return Plan(kind='tool', tool=str(kind), args={str(k): v for k, v in (content or {}).items()})


def _around(kind: str, content: Any, depth: int) -> Plan:
    key = AROUND[kind]
    if not isinstance(content, dict) or set(content) != {key, 'do'}:
        example = {'retry': '3', 'timeout': '20.0', 'guard': '[path_clear]'}[kind]
        raise ValueError(f'{kind}: write {{ {key}: {example}, do: {{ pick: … }} }}')
    value, member = content[key], (_plan(content['do'], depth + 1),)
    if kind == 'retry' and type(value) is int and 1 <= value <= 10:
        return Plan(kind='retry', members=member, times=value)
    if kind == 'timeout' and type(value) in (int, float) and 0 < value < 1e6:
        return Plan(kind='timeout', members=member, seconds=float(value))
    if (
        kind == 'guard'
        and isinstance(value, (list, tuple))
        and all(isinstance(each, str) for each in value)
    ):
        return Plan(kind='guard', members=member, guards=tuple(value))
    wanted = {'retry': 'a number from 1 to 10', 'timeout': 'seconds', 'guard': 'a list of guards'}
    raise ValueError(f'{kind}.{key} is {value!r:.80}: write {wanted[kind]}')
