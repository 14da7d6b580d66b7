"""ROS messages as JSON values and back, for any type that is installed.

Stamps and durations are seconds. Long lists of numbers, such as the pixels of a picture, do not
become JSON: results go to a model and into the trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from builtin_interfaces.msg import Duration, Time
from rclpy.node import Node

from rover_common.interface_field_checks import INTEGERS, TIMES
from rover_common.message_order import age_of
from rover_common.ros.interface_classes_and_fields import element_type, message_class
from rover_common.text_sanitizing import sendable

LONGEST_LIST = 256
MOST_VALUES = 10_000  # of a message; lists of lists would take a thread of callbacks for seconds
_FLOATS = frozenset({'float', 'double'})


def seconds_from_ros(stamp: Time | Duration) -> float:
    """Seconds since the clock's origin, or of a duration."""
    return float(stamp.sec) + stamp.nanosec * 1e-9


def seconds_to_ros(seconds: float) -> Time:
    """The stamp nearest to `seconds` (not negative)."""
    nanoseconds = round(seconds * 1e9)
    return _checked(Time, sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def duration_to_ros(seconds: float) -> Duration:
    """The duration nearest to `seconds`."""
    nanoseconds = round(seconds * 1e9)
    return _checked(Duration, sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def fields_from_ros(message: Any) -> dict[str, Any]:
    """A message's fields as JSON values; a list beyond `LONGEST_LIST` becomes its description.

    So does each list after the first `MOST_VALUES` values.
    """
    return _MessageReader().fields(message)


class _MessageReader:
    """Reads one message; counts its values."""

    def __init__(self) -> None:
        self._count = 0

    def fields(self, message: Any) -> dict[str, Any]:
        """Return the fields of the message, or of one in it."""
        names = message.get_fields_and_field_types()
        return {name: self._value(getattr(message, name)) for name in names}

    def _value(self, value: Any) -> Any:
        self._count += 1
        if isinstance(value, (Time, Duration)):
            return seconds_from_ros(value)
        if hasattr(value, 'get_fields_and_field_types'):
            return self.fields(value)
        if isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, bytes):  # one octet; lists of bytes are arrays
            return value[0]
        if len(value) > LONGEST_LIST or self._count > MOST_VALUES:
            return f'{len(value)} values'
        values = value.tolist() if hasattr(value, 'tolist') else list(value)
        return [self._value(each) for each in values]


def fields_to_ros(message_type: Any, fields: Mapping[str, Any]) -> Any:
    """A message of a type, filled from JSON values; other fields keep the type's defaults.

    Elements of a list may be given as a mapping of indices, such as `{"2": 0.5}`: those that are
    left out keep the type's default, in a list of fixed length.

    Raises:
        ValueError: A field does not exist or has another type; the message names it.
    """
    types = message_type.get_fields_and_field_types()
    values = {}
    for name, value in fields.items():
        if name not in types:
            listed = ', '.join(types) or 'none'
            raise ValueError(f'{message_type.__name__} has no field {name!r}; it has: {listed}')
        try:
            values[name] = _field_to_ros(message_type, name, types[name], value)
            _checked(message_type, **{name: values[name]})
        except (AssertionError, TypeError, OverflowError) as error:
            raise ValueError(f'field {name!r} cannot be {value!r:.80}: {error}') from None
    return message_type(**values)


def _field_to_ros(message_type: Any, name: str, type_name: str, value: Any) -> Any:
    element = element_type(type_name)
    if not element or not isinstance(value, Mapping):
        return _value_to_ros(type_name, value)
    default = getattr(message_type(), name)
    values = default.tolist() if hasattr(default, 'tolist') else list(default)
    for index, each in sorted((int(index), each) for index, each in value.items()):
        if index > len(values):
            raise TypeError(f'element {len(values)} is missing')
        values[index : index + 1] = [_value_to_ros(element, each)]
    return values


def _checked(message_type: Any, **values: Any) -> Any:
    """A message whose values are checked, which since Jazzy has to be requested."""
    asked = {'check_fields': True} if '_check_fields' in message_type.__slots__ else {}
    return message_type(**values, **asked)


def _value_to_ros(type_name: str, value: Any) -> Any:
    element = element_type(type_name)
    if element:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise TypeError('a list is expected')
        return [_value_to_ros(element, each) for each in value]
    if type_name in TIMES:
        return (seconds_to_ros if type_name.endswith('Time') else duration_to_ros)(value)
    if '/' in type_name:
        if not isinstance(value, Mapping):
            raise TypeError(f'the fields of {type_name} are expected')
        return fields_to_ros(message_class(type_name), value)
    if type_name in INTEGERS and isinstance(value, float) and value.is_integer():
        value = int(value)  # to JSON Schema, 3.0 is an integer
    if type_name == 'octet':
        if not _is_integer(value) or value not in range(256):
            raise TypeError('an integer from 0 to 255 is expected')
        return bytes([value])
    return float(value) if type_name in _FLOATS and _is_integer(value) else value


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


UNKNOWN, NO, YES = -1, 0, 1
_VALUES = {UNKNOWN: None, NO: False, YES: True}


def optional_bool_to_ros(value: bool | None) -> int:
    """Return the number of a value; None is unknown."""
    return UNKNOWN if value is None else int(value)


def optional_bool_from_ros(value: int, field: str) -> bool | None:
    """Return the value of a number; None is unknown.

    Raises:
        ValueError: It is no such number; the message names the field.
    """
    if value not in _VALUES:
        raise ValueError(f'{field} is {value}; it can be -1 (unknown), 0 (no) or 1 (yes)')
    return _VALUES[value]


T = TypeVar('T', bound=Any)


def sendable_message(message: T) -> T:
    """Return the message with its own texts made `sendable`; those of messages in it are not.

    A goal must not end before its "not", and a text that cannot be encoded must end no publisher.
    """
    for name, kind in message.get_fields_and_field_types().items():
        if kind == 'string':
            setattr(message, name, sendable(getattr(message, name)))
    return message


def message_age_s(node: Node, stamp: float) -> float:
    """Return how long ago a measurement was taken, in s, by its stamp and the clock of a node.

    0 without a stamp. Simulated time passes faster or slower than a message travels.
    """
    clock = node.get_clock()
    if clock.ros_time_is_active:
        return 0.0
    return age_of(stamp, float(clock.now().nanoseconds) * 1e-9)
