"""JSON text and numbers that anybody may have written, read into values that can be written again.

Python's own reader takes what no trace can hold: lists 900 levels deep, halves of characters.
pydantic's does not, and says so in the way it does for the messages whose fields are known. Both
take integers that no float holds, of which a reader of the trace could make nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import json
import math
import re
import sys
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from rover_common.text_sanitizing import sendable

T = TypeVar('T')

LARGEST = int(sys.float_info.max)


class RepeatedNameError(ValueError):
    """An object has a name twice."""


_VALUE: TypeAdapter[Any] = TypeAdapter(Any)
_OBJECT: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
# What is no finite number stays what it is: a model may propose it, and is refused for it.
_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any, config=ConfigDict(ser_json_inf_nan='constants'))
_AS_LONG_AS_LARGEST = re.compile(rf'\d{{{len(str(LARGEST))}}}')


def read_json(text: str) -> Any:
    """The value of any type; NaN and infinity are taken, too.

    Raises:
        ValueError: The text is not JSON, is nested too deeply, or has an integer that no float
            holds; the message has the reason.
    """
    return _read(_VALUE, text)


def read_json_object(text: str) -> dict[str, Any]:
    """The object.

    Raises:
        ValueError: The text is not one JSON object, or cannot be read as `read_json` says.
    """
    return _read(_OBJECT, text)


def read_arguments(text: str) -> dict[str, Any]:
    """Read the arguments of a call, from any source: the one reader for all of them.

    All numbers are finite, as JSON's own are, and no object has a name twice: each reader would
    choose another one of the two values.

    Raises:
        ValueError: The text is not one JSON object, holds NaN or infinity, or repeats a name.
    """
    arguments = read_json_object(text)
    json.dumps(arguments, allow_nan=False)
    refuse_repeated_names(text)
    return arguments


def refuse_repeated_names(text: str | bytes) -> None:
    """Raises `ValueError` if an object in the JSON text has a name twice, or it is not JSON."""
    json.loads(text, object_pairs_hook=_unrepeated)


def to_json_value(value: Any) -> Any:
    """Convert dataclasses, enums, mappings and what they hold to JSON values, the rest to text."""
    return _ANYTHING.dump_python(value, mode='json', fallback=_nearest, warnings=False)


def write_json(value: Any) -> str:
    """Return the JSON text of `to_json_value(value)`; halves of characters are replaced.

    Raises:
        ValueError, TypeError, RecursionError: It has no JSON text.
    """
    try:
        return _ANYTHING.dump_json(value, fallback=_nearest, warnings=False).decode()
    except ValueError:  # pydantic's, of half a character, or of what has no JSON text at all
        return sendable(
            json.dumps(to_json_value(value), ensure_ascii=False, separators=(',', ':'))
        )


def values_in(root: Any) -> Iterator[tuple[Any, int]]:
    """The value itself and every value within it, each with its depth; without recursion."""
    rest = [(root, 0)]
    while rest:
        value, depth = rest.pop()
        yield value, depth
        inner = value.values() if isinstance(value, Mapping) else value
        if isinstance(value, (Mapping, list)):
            rest.extend((each, depth + 1) for each in inner)


def _nearest(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise RepeatedNameError(f'The name {name!r:.60} occurs twice in one object')
        made[name] = value
    return made


def _read(adapter: TypeAdapter[T], text: str) -> T:
    try:
        value = adapter.validate_json(text)
    except ValidationError as error:
        raise ValueError(error.errors()[0]['msg']) from None
    if _AS_LONG_AS_LARGEST.search(text) and any(map(_is_too_large, values_in(value))):
        raise ValueError('An integer in it is too large')
    return value


def _is_too_large(found: tuple[Any, int]) -> bool:
    return isinstance(found[0], int) and abs(found[0]) > LARGEST


def finite_number(value: object) -> float | None:
    """The value, if it is a finite number; None for everything else.

    None, too, for a bool, a text, NaN, infinity, and an integer that is too large for a float.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
