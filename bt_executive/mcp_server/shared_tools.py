"""One tool for all robots that have one of its name: each call says which robot it is for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mcp_types import Tool, ToolAnnotations

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
