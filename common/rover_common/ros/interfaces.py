"""Interface types by name: their Python classes, and the fields they have."""

from __future__ import annotations

import importlib
from typing import Any

from rover_common.message_shape import TIMES, Interface, Shape


def interface_class(type_name: str) -> Any:
    """The Python class of an interface name such as `std_srvs/srv/Trigger`.

    Raises:
        LookupError: Its package is not importable or has no such type; the message says which.
    """
    package, kind, name = type_name.split('/')
    try:
        return getattr(importlib.import_module(f'{package}.{kind}'), name)
    except (ImportError, AttributeError):
        raise LookupError(
            f'interface {type_name!r} is not installed: build or install package {package!r}'
        ) from None


def message_class(type_name: str) -> Any:
    """The class of a message as field types name it, such as `geometry_msgs/Point`."""
    package, name = type_name.split('/')
    return interface_class(f'{package}/msg/{name}')


def resolve(type_name: str) -> Interface:
    """The fields of a service or action; see `rover_common.message_shape.Resolve`.

    Raises:
        LookupError: The type is not installed.
    """
    found = interface_class(type_name)
    if '/action/' in type_name:
        return Interface(_shape(found.Goal), _shape(found.Result), _shape(found.Feedback))
    return Interface(_shape(found.Request), _shape(found.Response))


def _shape(message: Any) -> Shape:
    shape: dict[str, str | Shape] = {}
    for name, type_name in message.get_fields_and_field_types().items():
        nested = '/' in type_name and not element_type(type_name) and type_name not in TIMES
        shape[name] = _shape(message_class(type_name)) if nested else type_name
    return shape


def element_type(type_name: str) -> str | None:
    """What a list of this type holds (`Point[3]`, `sequence<Point>`); None if it is no list."""
    if type_name.startswith('sequence<'):
        inside = type_name[len('sequence<') : -1]
        return inside.partition(',')[0].strip()
    return type_name.partition('[')[0] if type_name.endswith(']') else None
