"""Parses the arguments of a model's tool call: an object, or why they cannot be used."""

from __future__ import annotations

from dataclasses import dataclass, field
import json
from typing import Any

from rover_common.json_values import RepeatedNameError, read_arguments, values_in
from rover_common.text_sanitizing import sanitize_line

SIZE_LIMIT = 8000  # characters of all arguments of a call
NESTING_LIMIT = 8  # levels of lists and objects
_SHOWN = 200  # characters of malformed arguments that are shown to the model
_EMPTY = ('', 'null')


@dataclass(frozen=True)
class Arguments:
    """Arguments that can be used, or why there are none."""

    values: dict[str, Any] = field(default_factory=dict)
    fault: str = ''  # the rest of a sentence after 'The arguments of …'


def read_call_arguments(raw: object, has_arguments: bool = False) -> Arguments:
    """Parse arguments as a client library returns them: an object, or its text.

    Args:
        raw: The arguments; empty or null are none.
        has_arguments: Whether the tool has arguments. None is then a fault, even if all are
            optional: a call whose arguments were lost looks the same.
    """
    try:
        text = raw.strip() if isinstance(raw, str) else json.dumps(raw)
    except (TypeError, ValueError, RecursionError) as error:
        return Arguments(fault=f'cannot be read: {sanitize_line(str(error), _SHOWN)}.')
    if text in _EMPTY:
        if not has_arguments:
            return Arguments()
        return Arguments(fault='are missing. Send {} to leave all of them out.')
    try:
        values = read_arguments(text)
    except RepeatedNameError as error:
        return Arguments(
            fault=f'are ambiguous: {sanitize_line(str(error), _SHOWN)}. Send it once.'
        )
    except ValueError as error:
        shown, reason = sanitize_line(text, _SHOWN), sanitize_line(str(error), _SHOWN)
        return Arguments(
            fault=f'are not a JSON object: {shown!r} ({reason}). Call it with a JSON object.'
        )
    if any(depth > NESTING_LIMIT for _, depth in values_in(values)):
        return Arguments(fault=f'are nested more than {NESTING_LIMIT} levels deep.')
    if len(text) > SIZE_LIMIT:
        return Arguments(fault=f'are longer than {SIZE_LIMIT} characters.')
    return Arguments(values)
