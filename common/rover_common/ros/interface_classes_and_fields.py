"""Interface types by name: their Python classes, and the fields that these have."""

from __future__ import annotations

from functools import cache
import importlib
from importlib.util import find_spec
from pathlib import Path
import re
from typing import Any

from rover_common.interface_field_checks import TIMES, FieldType, Interface, ListOf, Shape

_TYPE_NAME = re.compile('[a-z][a-z0-9_]*/(msg|srv|action)/[A-Z][A-Za-z0-9]*')


def interface_class(type_name: str) -> Any:
    """The Python class of an interface name such as `std_srvs/srv/Trigger`.

    The name may come from the graph, so no package is imported that has no interfaces.

    Raises:
        LookupError: Its package is not importable or has no such type; the message names it.
    """
    if not _TYPE_NAME.fullmatch(type_name):
        raise LookupError(f'{type_name!r:.200} is no name of an interface')
    package, kind, name = type_name.split('/')
    try:
        found = find_spec(package)
        folders = (found and found.submodule_search_locations) or ()
        if not any(Path(each, kind, '__init__.py').is_file() for each in folders):
            raise ImportError
        made = getattr(importlib.import_module(f'{package}.{kind}'), name)
        if not hasattr(type(made), '__import_type_support__'):  # such as rclpy/action/ActionClient
            raise ImportError
        return made
    except (ImportError, AttributeError):
        raise LookupError(
            f'interface {type_name!r} is not installed: build or install package {package!r}, or '
            'compile it (`bt-executive interfaces add PATH`)'
        ) from None


def load_type_support(type_name: str) -> None:
    """Loads the libraries with which an interface is sent and received.

    Raises:
        LookupError: It is not installed, or its libraries are not.
    """
    metaclass = interface_class(type_name).__class__
    metaclass.__import_type_support__()
    if metaclass._TYPE_SUPPORT is None:
        raise LookupError(f'interface {type_name!r} has no type support that can be loaded')


def message_class(type_name: str) -> Any:
    """The class of a message as field types name it, such as `geometry_msgs/Point`."""
    package, name = type_name.split('/')
    return interface_class(f'{package}/msg/{name}')


def resolve(type_name: str) -> Interface:
    """The fields of a service, action or message; see `interface_field_checks.Resolve`.

    Raises:
        LookupError: The type is not installed.
    """
    found = interface_class(type_name)
    if '/action/' in type_name:
        return Interface(_shape(found.Goal), _shape(found.Result), _shape(found.Feedback))
    if '/msg/' in type_name:
        return Interface(_shape(found), {})
    return Interface(_shape(found.Request), _shape(found.Response))


def constants_beside(type_name: str, path: str) -> dict[str, int]:
    """Return the numbers that an answer's definition names beside a field: name → number.

    `path`: of a field of the answer (of a service, an action or a message), with dots.
    """
    found: Any = interface_class(type_name)
    kinds = {'action': 'Result', 'srv': 'Response'}
    owner = getattr(found, kinds.get(type_name.split('/')[1], ''), found)
    for name in path.split('.')[:-1]:
        owner = message_class(owner.get_fields_and_field_types()[name])
    named = type(owner).__prepare__(owner.__name__, ())  # where rosidl keeps them
    return {
        name: value
        for name, value in named.items()
        if type(value) is int and not name.endswith('__DEFAULT')
    }


@cache
def _shape(message: Any) -> Shape:
    types = message.get_fields_and_field_types()
    return {name: _field_type(type_name) for name, type_name in types.items()}


def _field_type(type_name: str) -> FieldType:
    element = element_type(type_name)
    if element is not None:
        fixed = type_name.endswith(']')
        bound = type_name.rpartition('[' if fixed else ',')[2].strip(' ]>')
        most = int(bound) if fixed or ',' in type_name else None
        return ListOf(type_name, _single(element), most, fixed)
    return _single(type_name)


def _single(type_name: str) -> str | Shape:
    nested = '/' in type_name and type_name not in TIMES
    return _shape(message_class(type_name)) if nested else type_name


def element_type(type_name: str) -> str | None:
    """What a list of this type holds (`Point[3]`, `sequence<Point>`); None if it is no list."""
    if type_name.startswith('sequence<'):
        return type_name[len('sequence<') : -1].partition(',')[0].strip()
    return type_name.partition('[')[0] if type_name.endswith(']') else None
