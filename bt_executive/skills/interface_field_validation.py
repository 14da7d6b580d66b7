"""Faults of what a tool sends and reads: fields of its interface, and what they can hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from bt_executive.skills.message_mapping import field_of, sent_arguments
from bt_executive.skills.unknown_names import unknown
from rover_common.config.settings import Endpoint, Skill
from rover_common.interface_fields import (
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
class _Sent:
    """One field that a call fills. `always`: whatever the call's arguments are."""

    what: str
    path: str
    always: bool


def field_faults(
    skill: Skill, endpoint: Endpoint, interface: Interface, schema_known: bool
) -> Iterator[str]:
    """Sentences; none if each field exists and takes what is put into it.

    `schema_known`: the schema of the arguments is one.
    """
    arguments = sent_arguments(skill) if schema_known else {}
    yield from _argument_faults(skill, arguments, endpoint, interface.request)
    yield from _constant_faults(skill, endpoint, interface.request)
    yield from _shared_faults(_sent(skill, arguments), interface.request)
    if skill.topic is None:  # nothing answers to what is published
        yield from _result_faults(skill, endpoint, interface)


def _argument_faults(
    skill: Skill, arguments: Mapping[str, Any], endpoint: Endpoint, request: Shape
) -> Iterator[str]:
    for name, schema in arguments.items():
        path = field_of(skill, name)
        found = type_at(request, path)
        if found is None:
            yield (
                f'argument {name!r} has no field {path!r} in {endpoint.type}, which has '
                f'{_names(request)}; {_hint(request, path)}name it: {{ field: … }}.'
            )
        elif not fits(schema.get('type') if isinstance(schema, Mapping) else None, found):
            wanted = 'a message' if isinstance(found, Mapping) else describe_type(found)
            yield f'argument {name!r} is {schema["type"]}, but field {path!r} is {wanted}.'


def _constant_faults(skill: Skill, endpoint: Endpoint, request: Shape) -> Iterator[str]:
    for path, value in skill.constants.items():
        found = type_at(request, path)
        if found is None:
            yield f'set.{path} is not a field of {endpoint.type}: {why_missing(request, path)}.'
        elif why := why_not_value(value, found):
            yield f'set.{path} is {value!r:.80}, but the field {why}.'
        elif '${' in repr(value):
            yield f'set.{path} is {value!r:.80}: it is sent as it is; make an argument of it.'


def _sent(skill: Skill, arguments: Mapping[str, Any]) -> list[_Sent]:
    found = [_Sent(f'set.{path}', path, always=True) for path in skill.constants]
    required = skill.args_schema.get('required', ())
    for name, schema in arguments.items():
        always = name in required or (isinstance(schema, Mapping) and 'default' in schema)
        found.append(_Sent(f'argument {name!r}', field_of(skill, name), always))
    return found


def _shared_faults(sent: list[_Sent], request: Shape) -> Iterator[str]:
    """Two values for one field, and lists with elements that nothing fills."""
    for one, other in combinations(sent, 2):
        paths = steps_of(one.path), steps_of(other.path)
        shorter = min(map(len, paths))
        if paths[0][:shorter] == paths[1][:shorter]:
            yield f'{one.what} and {other.what} both fill {min(one.path, other.path, key=len)!r}.'
    filled: dict[str, set[int]] = {}
    highest: dict[str, int] = {}
    for each in sent:
        for path, _found, index in _growing(each, request):
            filled.setdefault(path, set()).update({index} if each.always else ())
            highest[path] = max(highest.get(path, 0), index)
    for path, last in highest.items():
        if missing := sorted({*range(last + 1)} - filled[path]):
            yield (
                f'element {missing[0]} of {path!r} is not filled by every call, and {last} is the '
                'last that is named: give it a required argument, a default or a value in `set`.'
            )


def _growing(each: _Sent, request: Shape) -> Iterator[tuple[str, ListOf, int]]:
    """The lists without a fixed length of which it fills an element."""
    if type_at(request, each.path) is not None:
        yield from (on for on in lists_on(request, each.path) if not on[1].fixed)


def _result_faults(skill: Skill, endpoint: Endpoint, interface: Interface) -> Iterator[str]:
    result = skill.result
    paths = {'ok': result.ok, 'reason': result.reason, 'code': result.code}
    paths |= {f'json_fields.{name}': name for name in result.json_fields}
    left = skill.destination.left if skill.destination else ''
    if left and left not in interface.feedback:
        yield (
            f'destination.left is {left!r}, which {endpoint.type} does not tell; its feedback has '
            f'{_names(interface.feedback)}.'
        )
    known = {*_all_names(interface.response), *_all_names(interface.feedback)}
    if not result.json_fields:  # whose fields nobody knows
        yield from unknown('result.units: field', result.units, known)
    for key, path in paths.items():
        if path and type_at(interface.response, path) is None:
            yield (
                f'result.{key} is {path!r}, which {endpoint.type} does not answer; it answers '
                f'{_names(interface.response)}.'
            )


def _all_names(shape: Shape) -> Iterator[str]:
    """The names of its fields, and of the fields of its fields."""
    for name, found in shape.items():
        yield name
        inner = found.of if isinstance(found, ListOf) else found
        if isinstance(inner, Mapping):
            yield from _all_names(inner)


def _hint(request: Shape, path: str) -> str:
    """What stands in the place of a path that goes below the first field."""
    nested = len(steps_of(path)) > 1 or ': did' in why_missing(request, path)
    return f'{why_missing(request, path)}; ' if nested else ''


def _names(shape: Shape) -> str:
    return ', '.join(shape) or 'nothing'
