"""JSON text that anybody may have written, read into values that can be written as JSON again.

Python's own reader takes what no trace can hold: lists 900 levels deep, halves of characters.
pydantic's does not, and says so in the way it does for the messages whose fields are known.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

T = TypeVar('T')

_VALUE: TypeAdapter[Any] = TypeAdapter(Any)
_OBJECT: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def read_json(text: str) -> Any:
    """The value of any type; NaN and infinity are taken, too.

    Raises:
        ValueError: The text is not JSON, or nested too deeply; the message says what and where.
    """
    return _read(_VALUE, text)


def read_json_object(text: str) -> dict[str, Any]:
    """The object.

    Raises:
        ValueError: The text is not one JSON object; the message says what is wrong.
    """
    return _read(_OBJECT, text)


def read_arguments(text: str) -> dict[str, Any]:
    """The object; all of its numbers are finite, as JSON's own are.

    Raises:
        ValueError: The text is not one JSON object, or holds NaN or infinity.
    """
    arguments = read_json_object(text)
    json.dumps(arguments, allow_nan=False)
    return arguments


def _read(adapter: TypeAdapter[T], text: str) -> T:
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        raise ValueError(error.errors()[0]['msg']) from None
