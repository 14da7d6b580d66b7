"""ROS messages as JSON values and back, for any type whose package is importable."""

from __future__ import annotations

from collections.abc import Mapping
import importlib
from typing import Any

from builtin_interfaces.msg import Time


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


def seconds_from_ros(stamp: Time) -> float:
    """Seconds since the clock's origin."""
    return float(stamp.sec) + stamp.nanosec * 1e-9


def seconds_to_ros(seconds: float) -> Time:
    """The stamp nearest to `seconds` (not negative)."""
    nanoseconds = round(seconds * 1e9)
    return Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def fields_from_ros(message: Any) -> dict[str, Any]:
    """A message's fields as JSON values; stamps become seconds."""
    names = message.get_fields_and_field_types()
    return {name: _value_from_ros(getattr(message, name)) for name in names}


def _value_from_ros(value: Any) -> Any:
    if isinstance(value, Time):
        return seconds_from_ros(value)
    if hasattr(value, 'get_fields_and_field_types'):
        return fields_from_ros(value)
    if isinstance(value, (bool, int, float, str)):
        return value
    return [_value_from_ros(each) for each in value]


def fields_to_ros(message: Any, fields: Mapping[str, Any]) -> Any:
    """Fills a message from JSON values and returns it.

    Raises:
        ValueError: A field does not exist or has another type; the message names it.
    """
    types = message.get_fields_and_field_types()
    for name, value in fields.items():
        if name not in types:
            known = ', '.join(types) or 'none'
            raise ValueError(f'{type(message).__name__} has no field {name!r}; it has: {known}')
        current = getattr(message, name)
        if isinstance(current, Time):
            value = seconds_to_ros(value)
        elif hasattr(current, 'get_fields_and_field_types'):
            value = fields_to_ros(current, value)
        elif isinstance(current, float) and isinstance(value, int):
            value = float(value)
        try:
            setattr(message, name, value)
        except (AssertionError, TypeError) as error:
            raise ValueError(f'field {name!r} cannot be {value!r:.80}: {error}') from None
    return message
