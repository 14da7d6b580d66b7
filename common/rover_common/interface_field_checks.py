"""Checks arguments and results against the fields that an interface has.

The shapes come from ROS (`rover_common.ros.interface_classes_and_fields`); here they are plain
values. A path leads to a field: names with dots, and an index behind a list, such as
`pose.position.x` or `joints[2]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
import difflib
import re
import sys
from typing import Any, TypeAlias, Union

FIELD = r'[a-z][a-z0-9_]*'
FIELD_PATH = rf'{FIELD}(\[\d{{1,3}}\])?(\.{FIELD}(\[\d{{1,3}}\])?)*'
_STEP = re.compile(rf'({FIELD})|\[(\d+)\]')


@dataclass(frozen=True)
class ListOf:
    """A field with a list.

    Attributes:
        type_name: As ROS writes it.
        of: The type of an element, or its fields.
        most: How many elements it can have; None: as many as are given.
        fixed: Its length is constant.
    """

    type_name: str
    of: str | Shape
    most: int | None = None
    fixed: bool = False


FieldType: TypeAlias = Union[str, 'Shape', ListOf]
Shape: TypeAlias = Mapping[str, FieldType]  # field → its ROS type, or its own fields


@dataclass(frozen=True)
class Interface:
    """The fields of a service, action or message: what is sent, what comes back.

    `request`: also an action's goal and a topic's message. `feedback`: what an action reports
    meanwhile.
    """

    request: Shape
    response: Shape
    feedback: Shape = field(default_factory=dict)


# Raises LookupError with a sentence if the type is not installed.
Resolve: TypeAlias = Callable[[str], Interface]

TIMES = frozenset({'builtin_interfaces/Time', 'builtin_interfaces/Duration'})  # seconds in JSON
_RANGES = {
    **{f'int{bits}': (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f'uint{bits}': (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    'octet': (0, 255),
    'float': (-3.4e38, 3.4e38),
    'double': (-sys.float_info.max, sys.float_info.max),
}
_FLOATS = frozenset({'float', 'double'})
INTEGERS = _RANGES.keys() - _FLOATS
LARGE = 2**16  # a bound that no call meets by mistake, and only makes a schema longer
_FITTING = {
    'boolean': frozenset({'boolean'}),
    'integer': INTEGERS | _FLOATS | TIMES,
    'number': _FLOATS | TIMES,
    'string': frozenset({'string', 'wstring'}),
}


def steps_of(path: str) -> tuple[str | int, ...]:
    """Return the steps of a field's path: names, and the index behind a list."""
    return tuple(int(each[2]) if each[2] is not None else each[1] for each in _STEP.finditer(path))


def type_at(shape: Shape, path: str) -> FieldType | None:
    """The type of the field at a path; None if there is no such field."""
    node: FieldType | None = shape
    for step in steps_of(path):
        node = _below(node, step)
    return node


def why_missing(shape: Shape, path: str) -> str:
    """Return what there is in the place of a field that is not there, with the nearest name."""
    node: FieldType = shape
    seen = ''
    for step in steps_of(path):
        below = _below(node, step)
        if below is None:
            return _instead(node, seen, step)
        seen = f'{seen}[{step}]' if isinstance(step, int) else f'{seen}.{step}'.lstrip('.')
        node = below
    return ''


def lists_on(shape: Shape, path: str) -> Iterator[tuple[str, ListOf, int]]:
    """Yield each list on a path of which one element is named: its path, itself, the index."""
    node: FieldType | None = shape
    seen = ''
    for step in steps_of(path):
        if isinstance(step, int):
            if isinstance(node, ListOf):
                yield seen, node, step
            seen = f'{seen}[{step}]'
        else:
            seen = f'{seen}.{step}'.lstrip('.')
        node = _below(node, step)


def fits(json_type: object, found: FieldType) -> bool:
    """Whether every JSON value of a schema's `type` can be put into a field of type `found`."""
    if isinstance(found, Mapping):
        return json_type in ('object', None)
    if isinstance(found, ListOf):
        return json_type in ('array', None)
    bare = found.partition('<')[0]  # string<10> is a bounded string
    return not isinstance(json_type, str) or bare in _FITTING.get(json_type, frozenset())


def describe_type(found: FieldType) -> str:
    """A field's type for people."""
    if isinstance(found, ListOf):
        return found.type_name
    return found if isinstance(found, str) else f'a message with {", ".join(found) or "nothing"}'


def why_not_value(value: Any, found: FieldType) -> str:
    """Return why a JSON value cannot be put into a field, as the end of a sentence; empty: it can.

    A message has no value itself, only its fields have one.
    """
    if isinstance(found, Mapping):
        return f'is {describe_type(found)}: set its fields'
    if isinstance(found, ListOf):
        return _why_no_list(value, found)
    if not fits(_json_type(value), found):
        return f'is {found}'
    bare, _, bound = found.partition('<')
    if isinstance(value, str) and bound and len(value) > int(bound.rstrip('>')):
        return f'is {found}'
    low, high = _RANGES.get(bare, (-sys.float_info.max, sys.float_info.max))
    if not isinstance(value, (bool, str)) and not low <= value <= high:
        return f'is {found}, from {low:g} to {high:g}'
    return ''


def bounds_of(found: FieldType) -> dict[str, int]:
    """Return the bounds of a field with a whole number or a text, as keys of a JSON Schema.

    Those of a number from `LARGE` on are left out.
    """
    if not isinstance(found, str):
        return {}
    bare, _, bound = found.partition('<')
    if bound:
        return {'maxLength': int(bound.rstrip('>'))}
    if bare not in _RANGES or bare in _FLOATS:
        return {}
    low, high = map(int, _RANGES[bare])
    return {key: each for key, each in (('minimum', low), ('maximum', high)) if abs(each) < LARGE}


def _why_no_list(value: Any, found: ListOf) -> str:
    if not isinstance(value, (list, tuple)):
        return f'is {found.type_name}: write a list, or set its elements, such as …[0]'
    if found.most is not None and (
        len(value) != found.most if found.fixed else len(value) > found.most
    ):
        return f'is {found.type_name}, and there are {len(value)} values'
    return next(filter(None, (why_not_value(each, found.of) for each in value)), '')


def _json_type(value: Any) -> str:
    if isinstance(value, bool):
        return 'boolean'
    if isinstance(value, int):
        return 'integer'
    return {float: 'number', str: 'string'}.get(type(value), 'object')


def _below(node: FieldType | None, step: str | int) -> FieldType | None:
    if isinstance(step, str):
        return node.get(step) if isinstance(node, Mapping) else None
    inside = isinstance(node, ListOf) and (node.most is None or step < node.most)
    return node.of if isinstance(node, ListOf) and inside else None


def _instead(node: FieldType, seen: str, step: str | int) -> str:
    if isinstance(step, int):
        if not isinstance(node, ListOf):
            return f'{seen!r} is {describe_type(node)}, and no list'
        return f'{seen!r} has {node.most} elements, the last is {seen}[{(node.most or 1) - 1}]'
    if not isinstance(node, Mapping):
        what = f'{seen!r} is {describe_type(node)}'
        return f'{what}: write the index of an element' if isinstance(node, ListOf) else what
    names = ', '.join(node) or 'nothing'
    close = difflib.get_close_matches(step, list(node), n=1)
    hint = f': did you mean {close[0]!r}?' if close else ''
    return f'{seen!r} has {names}{hint}' if seen else f'it has {names}{hint}'
