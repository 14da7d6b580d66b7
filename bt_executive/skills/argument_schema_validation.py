"""Faults of the JSON Schema of a tool's arguments: bounds, references, defaults, examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
import math
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from bt_executive.core.argument_validation import is_finite
from bt_executive.skills.duration_and_destination_validation import number_faults
from bt_executive.skills.example_validation import example_argument_faults
from rover_common.config.settings import Skill
from rover_common.tool_schema import ToolSchema, schema_faults

_BOUNDS = ('minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum')


@dataclass(frozen=True)
class _SchemaKey:
    """A schema that is hashed and compared by its text."""

    text: str
    schema: Mapping[str, Any] = field(compare=False)


def args_faults(skill: Skill) -> Iterator[str]:
    """Yield a sentence for each fault of a tool's `args` and of its examples."""
    schema = skill.args_schema
    costly = list(schema_faults(schema))
    yield from (f'args: {fault}.' for fault in costly)
    if costly:
        return
    if fault := _json_schema_fault(_SchemaKey(repr(schema), schema)):
        yield f'args is not a JSON Schema: {fault}.'
        return
    for reference in _references(schema):
        if not _is_resolvable(schema, reference):
            yield f'args: $ref {reference!r} leads nowhere in it; write the schema there.'
    for name, argument in schema.get('properties', {}).items():
        yield from _bound_faults(name, argument)
        if 'default' in argument and not ToolSchema(argument).is_valid(argument['default']):
            yield f'args.{name}.default is {argument["default"]!r:.80}, which args does not allow.'
    yield from example_argument_faults(skill, skill.examples, 'examples.')
    yield from number_faults(skill)


def _bound_faults(name: str, argument: Mapping[str, Any]) -> Iterator[str]:
    """Yield faults of bounds that no number fits, which JSON Schema allows."""
    low = max(argument.get('minimum', -math.inf), argument.get('exclusiveMinimum', -math.inf))
    high = min(argument.get('maximum', math.inf), argument.get('exclusiveMaximum', math.inf))
    bounds = [argument[key] for key in _BOUNDS if key in argument]
    if not all(map(is_finite, bounds)):
        yield f'args.{name} has a bound that is not a finite number: {bounds!r:.100}.'
    elif low > high:
        yield f'args.{name} must be at least {low:g} and at most {high:g}: nothing is.'


@lru_cache(maxsize=256)
def _json_schema_fault(key: _SchemaKey) -> str:
    """Return why a schema is no JSON Schema; empty: it is. Cached, for it takes milliseconds."""
    try:
        Draft202012Validator.check_schema(key.schema)
    except SchemaError as error:
        return error.message
    return ''


def _references(node: object) -> Iterator[str]:
    """Yield every `$ref` below a node of a schema."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if key == '$ref' and isinstance(value, str):
                yield value
            yield from _references(value)
    elif isinstance(node, list):
        for item in node:
            yield from _references(item)


def _is_resolvable(schema: Mapping[str, Any], reference: str) -> bool:
    """Return whether a reference is within the schema and not circular."""
    if not reference.startswith('#'):
        return False
    try:
        Draft202012Validator(schema).evolve(schema={'$ref': reference}).is_valid(None)
    except Exception:  # each version of the library has its own; a circle exceeds the recursion
        return False
    return True
