"""Validation of the arguments that a tool declares: JSON Schema, duration, destination, examples.

Schema: bounds, references, defaults. Examples: in robot.yaml and in the files beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
import math
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from bt_executive.core.call_argument_validation import is_finite
from rover_common.config.dotted_keys import unknown_names
from rover_common.config.robot_examples import further_examples
from rover_common.config.settings import Robot, Skill
from rover_common.config.settings.skills import ExampleFile, SkillExample
from rover_common.errors import ConfigError
from rover_common.tool_schema import allows, schema_faults


def number_faults(skill: Skill) -> Iterator[str]:
    """Yield faults of duration and destination, which the executive needs as numbers."""
    arguments = skill.args_schema.get('properties', {})
    argument = skill.motion.duration_arg if skill.motion else ''
    if argument and argument not in arguments:
        yield f'motion.duration_arg {argument!r} is not in args.'
    elif argument and not _is_number(arguments[argument]):
        yield f'motion.duration_arg {argument!r} must be of type number in args.'
    for key, name in _destination_arguments(skill):
        if name not in skill.args_schema.get('required', ()):
            yield f'destination.{key} is {name!r}, which args does not require.'
        elif not _is_number(arguments.get(name)):
            yield f'destination.{key}: {name!r} must be of type number in args.'


def _destination_arguments(skill: Skill) -> Iterator[tuple[str, str]]:
    if skill.destination is not None:
        yield 'x', skill.destination.x
        yield 'y', skill.destination.y


def _is_number(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get('type') in ('number', 'integer')


def check_example_files(robot: Robot) -> None:
    """Raise ConfigError if a file with examples cannot be read, or an example is no valid call."""
    files = robot.example_files
    faults = [f'{file.path}: {fault}' for file in files for fault in _file_faults(robot, file)]
    if faults:
        raise ConfigError('\n'.join(faults))


def example_argument_faults(
    skill: Skill, examples: Sequence[SkillExample], within: str
) -> Iterator[str]:
    """Yield faults of the arguments of examples, from which the offline model makes proposals.

    `within`: the key of the examples, with a dot at its end.
    """
    properties = skill.args_schema['properties']
    for number, example in enumerate(examples):
        key = f'{within}{number}.args'
        yield from unknown_names(f'{key}: argument', example.args, properties)
        for name, value in example.args.items():
            if name in properties and not allows(skill.args_schema, name, value):
                yield f'{key}.{name} is {value!r:.80}, which args does not allow.'


def _file_faults(robot: Robot, file: ExampleFile) -> Iterator[str]:
    tools = further_examples(file.path).tools
    if file.is_own:  # a tool of an extended robot may have been removed
        yield from unknown_names('tools: tool', tools, robot.tools)
    for name, examples in tools.items():
        if name in robot.tools:
            yield from example_argument_faults(robot.tools[name], examples, f'tools.{name}.')


_BOUNDS = ('minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum')


@dataclass(frozen=True)
class _SchemaKey:
    """A schema that is hashed and compared by its text."""

    text: str
    schema: Mapping[str, Any] = field(compare=False)


def args_faults(skill: Skill) -> Iterator[str]:
    """Yield a sentence for each fault of a tool's `args` and of its examples."""
    schema = skill.args_schema
    faults = args_schema_faults(schema)
    yield from faults
    if faults:
        return
    for name, argument in schema.get('properties', {}).items():
        yield from _bound_faults(name, argument)
        if 'default' in argument and not allows(schema, name, argument['default']):
            yield f'args.{name}.default is {argument["default"]!r:.80}, which args does not allow.'
    yield from example_argument_faults(skill, skill.examples, 'examples.')
    yield from number_faults(skill)


def args_schema_faults(schema: Mapping[str, Any]) -> list[str]:
    """Return why no argument can be checked by a schema; empty: they can."""
    if costly := list(schema_faults(schema)):
        return [f'args: {fault}.' for fault in costly]
    if unknown := list(_keyword_faults(schema)):
        return unknown
    if fault := _json_schema_fault(_SchemaKey(repr(schema), schema)):
        return [f'args is not a JSON Schema: {fault}.']
    return [
        f'args: $ref {reference!r} leads nowhere in it; write the schema there.'
        for reference in _references(schema)
        if not _is_resolvable(schema, reference)
    ]


# Which keywords of JSON Schema hold one schema, a list of them, or one for each name.
_ONE = (
    *('items', 'additionalProperties', 'contains', 'propertyNames'),
    *('unevaluatedItems', 'unevaluatedProperties'),
)
_ONE_OF_LOGIC = ('not', 'if', 'then', 'else')
_SEVERAL = ('allOf', 'anyOf', 'oneOf', 'prefixItems')
_NAMED = ('properties', '$defs', 'definitions', 'dependentSchemas')
_ANNOTATIONS = (
    *('title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'),
    *('contentEncoding', 'contentMediaType', 'contentSchema'),
    *('$schema', '$vocabulary', '$id', '$anchor', '$dynamicAnchor', '$comment'),
    *('minContains', 'maxContains'),
)
_KEYWORDS = {
    *Draft202012Validator.VALIDATORS,
    *(*_ONE, *_ONE_OF_LOGIC, *_SEVERAL, *_NAMED, *_ANNOTATIONS),
}


def _keyword_faults(schema: object, where: str = 'args') -> Iterator[str]:
    """Yield a sentence for each misspelt keyword, which JSON Schema passes over as if it held."""
    if not isinstance(schema, Mapping):
        return
    yield from unknown_names(f'{where}: key', map(str, schema), _KEYWORDS)
    for key, value in schema.items():
        if key in (*_ONE, *_ONE_OF_LOGIC):
            yield from _keyword_faults(value, f'{where}.{key}')
        elif key in _SEVERAL and isinstance(value, list):
            for number, each in enumerate(value):
                yield from _keyword_faults(each, f'{where}.{key}.{number}')
        elif key in _NAMED and isinstance(value, Mapping):
            within = where if where == 'args' and key == 'properties' else f'{where}.{key}'
            for name, each in value.items():
                yield from _keyword_faults(each, f'{within}.{name}')


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
