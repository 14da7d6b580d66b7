"""What fields an interface has: the registry checks arguments and results against it.

The shapes come from ROS (`rover_common.ros.interfaces`); here they are plain mappings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, Union

Shape: TypeAlias = Mapping[str, Union[str, 'Shape']]  # field → its ROS type, or its own fields


@dataclass(frozen=True)
class Interface:
    """The fields of a service or action: what is sent (request, goal), what comes back.

    `feedback`: what an action tells meanwhile.
    """

    request: Shape
    response: Shape
    feedback: Shape = field(default_factory=dict)


# Raises LookupError with a sentence if the type is not installed.
Resolve: TypeAlias = Callable[[str], Interface]

TIMES = frozenset({'builtin_interfaces/Time', 'builtin_interfaces/Duration'})  # seconds in JSON
_INTEGERS = frozenset(f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64))
_FLOATS = frozenset({'float', 'double'})
_FITTING = {
    'boolean': frozenset({'boolean'}),
    'integer': _INTEGERS | _FLOATS | TIMES | {'octet'},
    'number': _FLOATS | TIMES,
    'string': frozenset({'string', 'wstring'}),
}


def type_at(shape: Shape, path: str) -> str | Shape | None:
    """The type of the field at a dotted path; None if there is no such field."""
    node: str | Shape | None = shape
    for part in path.split('.'):
        node = node.get(part) if isinstance(node, Mapping) else None
    return node


def fits(json_type: object, found: str | Shape) -> bool:
    """Whether every JSON value of a schema's `type` can be put into a field of type `found`."""
    if isinstance(found, Mapping):
        return json_type in ('object', None)
    if '[' in found or found.startswith('sequence<'):
        return json_type in ('array', None)
    bare = found.partition('<')[0]  # string<10> is a bounded string
    return not isinstance(json_type, str) or bare in _FITTING.get(json_type, frozenset())
