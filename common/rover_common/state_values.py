"""Values of the robot's state: types, fields in ROS messages, a battery's charge. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rover_common.config.settings import PartValue
from rover_common.config.settings.state_and_guards import (
    ANY,
    BOOLEAN,
    LONGEST_TEXT,
    NUMBER,
    PartType,
    TopicField,
    steps_of,
)
from rover_common.json_values import finite_number


def has_type(value: Any, kind: PartType) -> bool:
    """Return whether a value is of a configured type. For listed texts, any text is."""
    if kind == BOOLEAN or (kind == ANY and isinstance(value, bool)):
        return isinstance(value, bool)
    if kind == NUMBER or (kind == ANY and not isinstance(value, str)):
        return finite_number(value) is not None
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def is_valid_value(value: Any, kind: PartType) -> bool:
    """Return whether a value is of a configured type, and one of the listed texts if any are."""
    return has_type(value, kind) and (not isinstance(kind, tuple) or value in kind)


LONGEST_LIST = 1_000_000  # entries that are reduced
MOST_ENTRIES = 10_000  # of which a field is read
Number: TypeAlias = int | float
# Name → what makes one value of a list; raises ValueError where that is not known.
Reducers: TypeAlias = Mapping[str, Callable[[list[Any]], Any]]
NO_PLUGINS: Reducers = MappingProxyType({})


def value_of(message: Any, entry: TopicField, reducers: Reducers = NO_PLUGINS) -> PartValue:
    """Return the value of a field of a ROS message. `reducers`: those of plug-ins, by name.

    Raises:
        ValueError: It is unknown; the message has the reason.
    """
    value = field_at(message, entry.field)
    if entry.reduce is not None:
        value = _reduced(value, entry, reducers)
    return _checked(_plain(value), entry)


def field_at(message: Any, path: str) -> Any:
    """Return a field of a ROS message, of whatever type; of each entry where it is in a list.

    Raises:
        ValueError: There is no such field.
    """
    for name, chosen in steps_of(path):
        message = _step(message, name, chosen)
    return message


def _step(value: Any, name: str, chosen: int | slice | None) -> Any:
    """A field; of each entry where the value is a list."""
    if _is_list(value):
        if len(value) > MOST_ENTRIES:
            raise ValueError(f'{name} is asked of {len(value)} entries, more than {MOST_ENTRIES}')
        return [_step(each, name, chosen) for each in value]
    fields: Mapping[str, str] = getattr(value, 'get_fields_and_field_types', dict)()
    if name not in fields:
        names = ', '.join(fields) or 'no fields'
        raise ValueError(f'there is no field {name!r}, only {names:.200}')
    value = getattr(value, name)
    if chosen is None:
        return value
    if not _is_list(value):
        raise ValueError(f'{name} is no list')
    try:
        return value[chosen]
    except IndexError:
        raise ValueError(f'{name} has {len(value)} entries, no entry {chosen}') from None


def _plain(value: Any) -> Any:
    """A single value as Python has it: an entry of an array, a byte, a time in s."""
    if isinstance(value, bytes) and len(value) == 1:
        return value[0]
    if not _is_list(value) and hasattr(value, 'nanosec') and hasattr(value, 'sec'):
        return value.sec + value.nanosec * 1e-9
    return value.item() if hasattr(value, 'item') and not _is_list(value) else value


def _is_list(value: Any) -> bool:
    return not isinstance(value, (str, bytes)) and hasattr(value, '__len__')


def _reduced(value: Any, entry: TopicField, reducers: Reducers) -> Any:
    if not _is_list(value):
        raise ValueError(f'{entry.field} is no list, so there is nothing to {entry.reduce}')
    if entry.reduce == 'count':
        return len(value)
    if not len(value):
        raise ValueError(f'{entry.field} is empty')
    if len(value) > LONGEST_LIST:
        raise ValueError(f'{entry.field} has {len(value)} entries, more than {LONGEST_LIST}')
    array = np.asarray(value) if hasattr(value, 'tolist') else None  # of a primitive type
    if array is not None and array.dtype.kind in 'iuf' and entry.reduce in ('min', 'max', 'mean'):
        return _of_array(array, entry)
    values = value.tolist() if hasattr(value, 'tolist') else [_plain(each) for each in value]
    if entry.reduce is not None and entry.reduce in reducers:
        return reducers[entry.reduce](values)
    if entry.reduce in ('any', 'all'):
        if not all(isinstance(each, bool) for each in values):
            raise ValueError(f'{entry.field} is no list of booleans')
        return any(values) if entry.reduce == 'any' else all(values)
    return _of_numbers([_number(each, entry) for each in values], entry)


def _of_array(array: NDArray[Any], entry: TopicField) -> Number:
    """As `_of_numbers`, without a loop: the data of a picture would take a second."""
    if array.dtype.kind == 'f':
        array = array.astype(float)
        if entry.if_infinite is not None:
            array[array == math.inf] = entry.if_infinite
        unusable = array[~np.isfinite(array)]
        if unusable.size:
            raise ValueError(f'{entry.field} has {unusable[0]}')
    match entry.reduce:
        case 'min':
            reduced = array.min()
        case 'max':
            reduced = array.max()
        case _:
            with np.errstate(over='ignore'):
                reduced = array.mean(dtype=float)
            if not np.isfinite(reduced):
                raise ValueError(f'{entry.field} has numbers that are too large for a mean')
    value: Number = reduced.item()
    return value


def _of_numbers(numbers: Sequence[Number], entry: TopicField) -> Number:
    match entry.reduce:
        case 'min':
            return min(numbers)
        case 'max':
            return max(numbers)
        case 'mean':
            try:
                return math.fsum(numbers) / len(numbers)
            except OverflowError:
                sentence = f'{entry.field} has numbers that are too large for a mean'
                raise ValueError(sentence) from None
        case other:
            raise ValueError(f'{entry.field}: there is no reducer {other!r} here')


def _number(value: Any, entry: TopicField) -> Number:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f'{entry.field} has {value!r:.60}, which is no number')
    if value == math.inf and entry.if_infinite is not None:
        return entry.if_infinite
    if not math.isfinite(value):
        raise ValueError(f'{entry.field} has {value}')
    return value


def _checked(value: Any, entry: TopicField) -> PartValue:
    numeric = entry.scale != 1.0 or entry.if_infinite is not None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number or (numeric and not isinstance(value, bool)):
        value = _number(value, entry)
        value = _number(value * entry.scale, entry) if entry.scale != 1.0 else value
    if isinstance(value, (bool, int, float, str)) and is_valid_value(value, entry.kind):
        return value
    what = 'a list; choose of it by `reduce` or [0]' if _is_list(value) else f'{value!r:.60}'
    raise ValueError(f'{entry.field} is {what}')


def charge_pct(percentage: float) -> float | None:
    """The charge in %; None for NaN, which the message has where it was not measured.

    Args:
        percentage: The message's field of this name: a fraction from 0 to 1.

    Raises:
        ValueError: It is no such fraction. A driver that sends 0 to 100 would never be low.
    """
    if math.isnan(percentage):
        return None
    if not 0.0 <= percentage <= 1.0:
        raise ValueError(
            f'the battery reports percentage {percentage:g}; sensor_msgs/BatteryState has a '
            'fraction from 0 to 1 there, so its driver must be mended'
        )
    return 100.0 * percentage
