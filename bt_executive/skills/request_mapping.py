"""Puts a tool's constants and arguments into the fields of what is sent, as its entry says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rover_common.config.settings import Skill
from rover_common.message_shape import steps_of


def field_of(skill: Skill, argument: str) -> str:
    """The dotted path of the field that takes an argument."""
    given = skill.args.get(argument)
    return given.field or argument if given else argument


def sent_arguments(skill: Skill) -> Mapping[str, Any]:
    """The arguments that go to the server, with their schemas; a motion's duration does not."""
    kept = skill.motion.duration_arg if skill.motion else ''
    properties = skill.args_schema.get('properties', {})
    return {name: schema for name, schema in properties.items() if name != kept}


def effective_arguments(
    skill: Skill, arguments: Mapping[str, Any], motion_s: float
) -> dict[str, Any]:
    """The arguments with what is used for those left out: the schema's defaults, `motion_s`."""
    effective = dict(arguments)
    for name, schema in skill.args_schema.get('properties', {}).items():
        if isinstance(schema, Mapping) and 'default' in schema:
            effective.setdefault(name, schema['default'])
    if skill.motion and skill.motion.duration_arg:
        effective.setdefault(skill.motion.duration_arg, motion_s)
    return effective


def request_fields(skill: Skill, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The request as nested JSON values. An absent argument takes its schema's default.

    An element of a list stands under its index, as `fields_to_ros` reads it.
    """
    request: dict[str, Any] = {}
    for path, value in skill.constants.items():
        _put(request, path, list(value) if isinstance(value, tuple) else value)
    for name, schema in sent_arguments(skill).items():
        if name in arguments:
            _put(request, field_of(skill, name), arguments[name])
        elif isinstance(schema, Mapping) and 'default' in schema:
            _put(request, field_of(skill, name), schema['default'])
    return request


def _put(request: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = map(str, steps_of(path))
    node = request
    for part in parents:
        node = node.setdefault(part, {})
    node[last] = value
