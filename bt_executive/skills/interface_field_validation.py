"""Validation of the interface fields that a tool sends and reads, and of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
import math
from typing import Any

from bt_executive.skills.message_mapping import field_of, sent_arguments
from rover_common.config.dotted_keys import unknown_names
from rover_common.config.settings import Endpoint, Skill
from rover_common.interface_field_checks import (
    INTEGERS,
    FieldType,
    Interface,
    ListOf,
    Shape,
    describe_type,
    fits,
    lists_on,
    steps_of,
    type_at,
    why_missing,
    why_not_value,
)


@dataclass(frozen=True)
class _FilledField:
    """A field that a call fills. `always`: with any arguments."""

    source: str
    path: str
    always: bool


def field_faults(
    skill: Skill, endpoint: Endpoint, interface: Interface, has_valid_schema: bool
) -> Iterator[str]:
    """Yield a sentence for each field that does not exist or cannot take its value.

    `has_valid_schema`: whether the arguments have a valid schema.
    """
    arguments = sent_arguments(skill) if has_valid_schema else {}
    yield from _argument_faults(skill, arguments, endpoint, interface.request)
    yield from _constant_faults(skill, endpoint, interface.request)
    yield from _shared_faults(_filled_fields(skill, arguments), interface.request)
    if skill.topic is None:  # nothing answers to what is published
        yield from _result_faults(skill, endpoint, interface)


def _argument_faults(
    skill: Skill, arguments: Mapping[str, Any], endpoint: Endpoint, request: Shape
) -> Iterator[str]:
    for name, schema in arguments.items():
        path = field_of(skill, name)
        field_type = type_at(request, path)
        if field_type is None:
            yield (
                f'argument {name!r} has no field {path!r} in {endpoint.type}, which has '
                f'{_names(request)}; {_hint(request, path)}name it: {{ field: … }}.'
            )
        elif not fits(schema.get('type') if isinstance(schema, Mapping) else None, field_type):
            expected = (
                'a message' if isinstance(field_type, Mapping) else describe_type(field_type)
            )
            yield f'argument {name!r} is {schema["type"]}, but field {path!r} is {expected}.'
        elif isinstance(schema, Mapping) and not _has_messages(field_type):
            for key, value in _values_in(schema):
                if reason := why_not_value(value, field_type):
                    yield f'args.{name}.{key} is {value!r:.80}, but field {path!r} {reason}.'


def _has_messages(field_type: FieldType) -> bool:
    return isinstance(field_type.of if isinstance(field_type, ListOf) else field_type, Mapping)


def _values_in(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield key and value of each value that an argument's schema names."""
    yield from ((key, schema[key]) for key in ('default', 'const') if key in schema)
    yield from (('enum', value) for value in schema.get('enum', ()))
    rounded = {'minimum': math.ceil, 'maximum': math.floor}  # for fields with whole numbers
    yield from ((key, round_(schema[key])) for key, round_ in rounded.items() if key in schema)


def _constant_faults(skill: Skill, endpoint: Endpoint, request: Shape) -> Iterator[str]:
    for path, value in skill.constants.items():
        field_type = type_at(request, path)
        if field_type is None:
            yield f'set.{path} is not a field of {endpoint.type}: {why_missing(request, path)}.'
        elif reason := why_not_value(value, field_type):
            yield f'set.{path} is {value!r:.80}, but the field {reason}.'
        elif '${' in repr(value):
            yield f'set.{path} is {value!r:.80}: it is sent as it is; make an argument of it.'


def _filled_fields(skill: Skill, arguments: Mapping[str, Any]) -> list[_FilledField]:
    fields = [_FilledField(f'set.{path}', path, always=True) for path in skill.constants]
    required = skill.args_schema.get('required', ())
    for name, schema in arguments.items():
        always = name in required or (isinstance(schema, Mapping) and 'default' in schema)
        fields.append(_FilledField(f'argument {name!r}', field_of(skill, name), always))
    return fields


def _shared_faults(fields: list[_FilledField], request: Shape) -> Iterator[str]:
    """Yield faults of fields with two values, and of list elements that nothing fills."""
    for one, other in combinations(fields, 2):
        paths = steps_of(one.path), steps_of(other.path)
        shorter = min(map(len, paths))
        if paths[0][:shorter] == paths[1][:shorter]:
            path = min(one.path, other.path, key=len)
            yield f'{one.source} and {other.source} both fill {path!r}.'
    filled: dict[str, set[int]] = {}
    highest: dict[str, int] = {}
    for field in fields:
        for path, _list_type, index in _unbounded_lists(field, request):
            filled.setdefault(path, set()).update({index} if field.always else ())
            highest[path] = max(highest.get(path, 0), index)
    for path, last in highest.items():
        if missing := sorted({*range(last + 1)} - filled[path]):
            yield (
                f'element {missing[0]} of {path!r} is not filled by every call, and {last} is the '
                'last that is named: give it a required argument, a default or a value in `set`.'
            )


def _unbounded_lists(field: _FilledField, request: Shape) -> Iterator[tuple[str, ListOf, int]]:
    """Yield path, type and index of each list of variable length in a field's path."""
    if type_at(request, field.path) is not None:
        yield from (entry for entry in lists_on(request, field.path) if not entry[1].fixed)


def _result_faults(skill: Skill, endpoint: Endpoint, interface: Interface) -> Iterator[str]:
    result = skill.result
    paths = {'ok': result.ok, 'reason': result.reason, 'code': result.code}
    paths |= {f'json_fields.{name}': name for name in result.json_fields}
    remaining = skill.destination.left if skill.destination else ''
    if remaining and remaining not in interface.feedback:
        yield (
            f'destination.left is {remaining!r}, which {endpoint.type} does not tell; its '
            f'feedback has {_names(interface.feedback)}.'
        )
    names = {*_all_names(interface.response), *_all_names(interface.feedback)}
    if not result.json_fields:  # whose fields are unknown
        yield from unknown_names('result.units: field', result.units, names)
    for key, path in paths.items():
        found = type_at(interface.response, path) if path else ''
        if found is None:
            yield (
                f'result.{key} is {path!r}, which {endpoint.type} does not answer; it answers '
                f'{_names(interface.response)}.'
            )
        elif found and (wanted := _unreadable(skill, key, found)):
            yield f'result.{key} is {path!r}, which is {describe_type(found)}: {wanted}.'


def _unreadable(skill: Skill, key: str, found: FieldType) -> str:
    """Return what to name instead of a field that does not say it; empty: it does."""
    if key == 'ok' and not (found == 'boolean' or fits('integer', found)):
        return 'name a boolean or a number, which is not 0 if the call has succeeded'
    if key == 'code' and skill.result.codes and found not in INTEGERS:
        return 'name a whole number, for `codes` translates no other'
    return ''


def _all_names(shape: Shape) -> Iterator[str]:
    """Yield the names of all fields, nested ones included."""
    for name, field_type in shape.items():
        yield name
        inner = field_type.of if isinstance(field_type, ListOf) else field_type
        if isinstance(inner, Mapping):
            yield from _all_names(inner)


def _hint(request: Shape, path: str) -> str:
    """Return why a nested path is missing; empty for a path of one field."""
    nested = len(steps_of(path)) > 1 or ': did' in why_missing(request, path)
    return f'{why_missing(request, path)}; ' if nested else ''


def _names(shape: Shape) -> str:
    return ', '.join(shape) or 'nothing'
