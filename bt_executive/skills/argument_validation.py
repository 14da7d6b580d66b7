"""Refuses the arguments of a call that do not fit the JSON schema of its tool."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
import sys
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from rover_common.reason import Reason


class ArgumentFault(Enum):
    """Why a tool cannot be called with some arguments."""

    NOT_FINITE = auto()
    NOT_IN_SCHEMA = auto()


def refuse_arguments(
    schema: Mapping[str, Any], arguments: Mapping[str, Any]
) -> Reason[ArgumentFault] | None:
    """Why these arguments cannot be used; None if they can."""
    if not _finite(arguments):
        return Reason(ArgumentFault.NOT_FINITE, 'Numbers must be finite')
    fault = best_match(Draft202012Validator(schema).iter_errors(arguments))
    if fault is None:
        return None
    where = '.'.join(str(part) for part in fault.absolute_path)
    reason = Reason(ArgumentFault.NOT_IN_SCHEMA, f'{fault.message:.200}')
    return reason.prefixed(f'Argument {where!r}') if where else reason


def _finite(value: Any) -> bool:
    """Whether every number is one for a server, too: JSON has integers beyond every float."""
    if isinstance(value, (int, float)):
        return abs(value) <= sys.float_info.max
    if isinstance(value, Mapping):
        return all(_finite(each) for each in value.values())
    return all(_finite(each) for each in value) if isinstance(value, list) else True
