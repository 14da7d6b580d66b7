"""Maps a tool's arguments to what is sent, and the response to a result, as its entry says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_executive.core.executive_ports import ToolResult
from rover_common.config.settings import ResultFields, Skill
from rover_common.interface_fields import steps_of
from rover_common.json_text import read_json


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


NO_REASON = 'The service reported failure without a reason'


def read_response(result: ResultFields, fields: Mapping[str, Any]) -> ToolResult:
    """The result in a response whose fields are given as JSON values.

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
    why = '' if ok else reason or error or NO_REASON
    return ToolResult(ok=ok, error_reason=why, data=data, units=result.units)


def reason_of(result: ResultFields, fields: Mapping[str, Any]) -> str | None:
    """The server's own sentence; None if it has none."""
    value = value_at(fields, result.reason) if result.reason else None
    return str(value) if value else None


def error_code(result: ResultFields, fields: Mapping[str, Any]) -> str | None:
    """The server's own error code; None if it reports none, or a number that has no name."""
    value = value_at(fields, result.code) if result.code else None
    if not result.codes:
        return str(value) if value else None
    return (result.codes.get(value) or None) if isinstance(value, int) else None


def _error(result: ResultFields, fields: Mapping[str, Any]) -> str | None:
    """What `code` says of an error, in a word or two; None if it says of none."""
    code = error_code(result, fields)
    value = value_at(fields, result.code) if result.code else None
    good = {number for number, name in result.codes.items() if not name} or {0}
    unnamed = code is None and isinstance(value, (int, float)) and value not in good
    return f'Error {value}' if unnamed else code


def value_at(fields: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path; None if there is none."""
    node: Any = fields
    for part in path.split('.'):
        node = node.get(part) if isinstance(node, Mapping) else None
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
