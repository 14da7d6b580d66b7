"""Maps a tool's arguments to the fields of a request, and a response to a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_executive.core.executive_ports import ToolResult
from rover_common.config.settings import ResultFields, Skill
from rover_common.interface_field_checks import steps_of
from rover_common.json_values import read_json


def field_of(skill: Skill, argument: str) -> str:
    """Return the dotted path of the field for an argument."""
    entry = skill.args.get(argument)
    return entry.field or argument if entry else argument


def sent_arguments(skill: Skill) -> Mapping[str, Any]:
    """Return the arguments that are sent, with their schemas: all but a motion's duration."""
    duration = skill.motion.duration_arg if skill.motion else ''
    properties = skill.args_schema.get('properties', {})
    return {name: schema for name, schema in properties.items() if name != duration}


def effective_arguments(
    skill: Skill, arguments: Mapping[str, Any], motion_s: float
) -> dict[str, Any]:
    """Return the arguments with defaults: those of the schema, and `motion_s` as duration."""
    effective = dict(arguments)
    for name, schema in skill.args_schema.get('properties', {}).items():
        if isinstance(schema, Mapping) and 'default' in schema:
            effective.setdefault(name, schema['default'])
    if skill.motion and skill.motion.duration_arg:
        effective.setdefault(skill.motion.duration_arg, motion_s)
    return effective


def request_fields(skill: Skill, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request as nested JSON values. An absent argument takes its schema's default.

    The key of a list's element is its index, as `fields_to_ros` reads it.
    """
    request: dict[str, Any] = {}
    for path, value in skill.constants.items():
        _set_field(request, path, list(value) if isinstance(value, tuple) else value)
    for name, schema in sent_arguments(skill).items():
        if name in arguments:
            _set_field(request, field_of(skill, name), arguments[name])
        elif isinstance(schema, Mapping) and 'default' in schema:
            _set_field(request, field_of(skill, name), schema['default'])
    return request


def _set_field(request: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = map(str, steps_of(path))
    node = request
    for part in parents:
        node = node.setdefault(part, {})
    node[last] = value


NO_REASON = 'The service reported failure without a reason'


def read_response(result: ResultFields, fields: Mapping[str, Any]) -> ToolResult:
    """Read the result in a response, whose fields are JSON values.

    `ok`, `reason` and `code` name the fields of success and failure; the others become data, those
    in `json_fields` parsed from JSON text. Text that is not JSON stays text.
    """
    error = _error(result, fields)
    ok = not error and (bool(value_at(fields, result.ok)) if result.ok else True)
    reason = reason_of(result, fields)
    data: dict[str, Any] = {}
    for name, value in fields.items():
        if name in result.json_fields:
            _merge(data, result.json_fields[name] or name, value, not result.json_fields[name])
        elif name not in (result.ok, result.reason) or (ok and value and name == result.reason):
            data[name] = value
    error_reason = '' if ok else reason or error or NO_REASON
    return ToolResult(ok=ok, error_reason=error_reason, data=data, units=result.units)


def reason_of(result: ResultFields, fields: Mapping[str, Any]) -> str | None:
    """Return the server's reason in a response; None if there is none."""
    value = value_at(fields, result.reason) if result.reason else None
    return str(value) if value else None


def error_code(result: ResultFields, fields: Mapping[str, Any]) -> str | None:
    """Return the server's error code; None if there is none, or a number without a name."""
    value = value_at(fields, result.code) if result.code else None
    if not result.codes:
        return str(value) if value else None
    return (result.codes.get(value) or None) if isinstance(value, int) else None


def _error(result: ResultFields, fields: Mapping[str, Any]) -> str | None:
    """Return the error that `code` reports, as text; None: no error."""
    code = error_code(result, fields)
    value = value_at(fields, result.code) if result.code else None
    if value is None and '[' in result.code:  # of a list that is shorter
        return f'The response has no {result.code}'
    good = {number for number, name in result.codes.items() if not name} or {0}
    unnamed = code is None and isinstance(value, (int, float)) and value not in good
    return f'Error {value}' if unnamed else code


def value_at(fields: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path, with an index behind a list; None if there is none."""
    node: Any = fields
    for part in path.split('.'):
        name, _, index = part.partition('[')
        node = node.get(name) if isinstance(node, Mapping) else None
        if index:
            number = int(index[:-1])
            node = node[number] if isinstance(node, list) and number < len(node) else None
    return node


def _merge(data: dict[str, Any], key: str, text: Any, into_top: bool) -> None:
    if not text:
        return
    try:
        value = read_json(text)
    except ValueError:
        data[key] = text
        return
    if into_top and isinstance(value, dict):
        data.update(value)
    else:
        data[key] = value
