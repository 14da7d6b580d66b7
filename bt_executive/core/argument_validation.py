"""Refuses the arguments of a call that do not fit the JSON schema of its tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto
import sys
from typing import Any

from jsonschema.exceptions import best_match

from rover_common.printable import sendable
from rover_common.reason import Reason
from rover_common.tool_schema import ToolSchema


class ArgumentFault(Enum):
    """Why a tool cannot be called with some arguments."""

    NOT_FINITE = auto()
    NOT_SENDABLE = auto()
    NOT_IN_SCHEMA = auto()


def refuse_arguments(
    schema: ToolSchema, arguments: Mapping[str, Any]
) -> Reason[ArgumentFault] | None:
    """Why these arguments cannot be used; None if they can."""
    if not all(map(is_finite, _leaves(arguments))):
        return Reason(ArgumentFault.NOT_FINITE, 'Numbers must be finite')
    if not all(map(_sendable, _leaves(arguments))):
        return Reason(ArgumentFault.NOT_SENDABLE, 'Texts must be without NUL and lone surrogates')
    fault = best_match(schema.iter_errors(arguments))
    if fault is None:
        return None
    where = '.'.join(str(part) for part in fault.absolute_path)
    reason = Reason(ArgumentFault.NOT_IN_SCHEMA, f'{fault.message:.200}')
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
        or ToolSchema(properties[name]).is_valid(None)
    }


def _leaves(value: Any) -> Iterator[Any]:
    """The values that hold no others, and the names of fields."""
    if isinstance(value, Mapping):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def is_finite(value: Any) -> bool:
    """Return whether a number is one for a server, too: JSON has integers beyond every float."""
    return not isinstance(value, (int, float)) or abs(value) <= sys.float_info.max


def _sendable(value: Any) -> bool:
    """Whether a text arrives whole: NUL would end it before its "not"."""
    return not isinstance(value, str) or sendable(value) == value
