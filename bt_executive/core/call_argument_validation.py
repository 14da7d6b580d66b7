"""Validation of a call's arguments against the JSON schema of its tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto
import sys
from typing import Any

from jsonschema.exceptions import best_match

from rover_common.reason import Reason
from rover_common.text_sanitizing import sendable
from rover_common.tool_schema import ToolSchema, allows


class ArgumentFault(Enum):
    """Why arguments are refused."""

    NOT_FINITE = auto()
    NOT_SENDABLE = auto()
    NOT_IN_SCHEMA = auto()


def refuse_arguments(
    schema: ToolSchema, arguments: Mapping[str, Any]
) -> Reason[ArgumentFault] | None:
    """Return why the arguments are refused; None: they fit."""
    if not all(map(is_finite, _leaves(arguments))):
        return Reason(ArgumentFault.NOT_FINITE, 'Numbers must be finite')
    if not all(map(_sendable, _leaves(arguments))):
        return Reason(ArgumentFault.NOT_SENDABLE, 'Texts must be without NUL and lone surrogates')
    error = best_match(schema.iter_errors(arguments))
    if error is None:
        return None
    where = '.'.join(str(part) for part in error.absolute_path)
    reason = Reason(ArgumentFault.NOT_IN_SCHEMA, f'{error.message:.200}')
    return reason.prefixed(f'Argument {where!r}') if where else reason


def without_nulls(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that are given: null for an optional one means that it is not.

    A null that the schema allows, or that stands for a required or unknown argument, stays.
    """
    required, properties = schema.get('required', ()), schema.get('properties', {})
    return {
        name: value
        for name, value in arguments.items()
        if value is not None
        or name in required
        or name not in properties
        or allows(schema, name, None)
    }


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the scalar values, and the names of fields."""
    if isinstance(value, Mapping):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def is_finite(value: Any) -> bool:
    """Return whether a float can hold a number: JSON has integers beyond all floats."""
    return not isinstance(value, (int, float)) or abs(value) <= sys.float_info.max


def _sendable(value: Any) -> bool:
    """Return whether a text can be sent unchanged: a NUL would cut it, perhaps before a "not"."""
    return not isinstance(value, str) or sendable(value) == value
