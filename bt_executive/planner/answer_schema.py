"""The JSON Schema that constrains an answer of a model: a tool call, or text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.tool_result_text import compact_json

NEXT, TOOL, ARGUMENTS, ANSWER = 'next', 'tool', 'arguments', 'answer'
# The keywords that every server with schemas supports, and those that only some do.
_COMMON = frozenset({'type', 'enum', 'description'})
_BOUNDS = frozenset(
    {'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'pattern'}
    | {'minLength', 'maxLength', 'minItems', 'maxItems'}
)


def answer_schema(toolset: Sequence[ToolOffer], bounds: bool) -> dict[str, Any]:
    """Return the schema; objects are closed and have all of their keys, optional ones may be null.

    Args:
        toolset: The offered tools. Tools with the same arguments share a branch.
        bounds: Whether the server supports limits of numbers, texts and lists.
    """
    by_arguments: dict[str, tuple[list[str], dict[str, Any]]] = {}
    for offer in toolset:
        arguments = closed_schema(offer.args_schema, bounds)
        by_arguments.setdefault(compact_json(arguments), ([], arguments))[0].append(offer.name)
    calls = [
        _closed({TOOL: {'type': 'string', 'enum': names}, ARGUMENTS: arguments})
        for names, arguments in by_arguments.values()
    ]
    return _closed({NEXT: {'anyOf': [*calls, _closed({ANSWER: {'type': 'string'}})]}})


def closed_schema(schema: Mapping[str, Any], bounds: bool) -> dict[str, Any]:
    """Return a schema in the subset of all servers: all keys required, no others allowed."""
    keywords = _COMMON | _BOUNDS if bounds else _COMMON
    closed = {key: each for key, each in schema.items() if key in keywords}
    if schema.get('type') == 'object' and not _takes_any_key(schema):
        required = schema.get('required', ())
        properties = {
            name: _or_null(closed_schema(each, bounds), name in required)
            for name, each in schema.get('properties', {}).items()
        }
        return {**closed, **_closed(properties)}
    if 'items' in schema:
        closed['items'] = closed_schema(schema['items'], bounds)
    return closed


def is_open(schema: Mapping[str, Any]) -> bool:
    """Return whether an object may have any keys, which strict servers refuse."""
    if schema.get('type') != 'object':
        return 'items' in schema and is_open(schema['items'])
    inner = schema.get('properties', {}).values()
    return _takes_any_key(schema) or any(is_open(each) for each in inner)


def _takes_any_key(schema: Mapping[str, Any]) -> bool:
    return not schema.get('properties') and schema.get('additionalProperties') is not False


def _or_null(schema: dict[str, Any], is_required: bool) -> dict[str, Any]:
    return schema if is_required else {'anyOf': [schema, {'type': 'null'}]}


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        'type': 'object',
        'properties': dict(properties),
        'required': list(properties),
        'additionalProperties': False,
    }
