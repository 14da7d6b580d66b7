"""Reads the arguments of a tool call, which may be anything, into values that anything can take.

What a model writes goes on to the tree, the trace, the console and back to the provider. So
nesting is bounded, numbers are finite and of a common size, and texts have no characters that a
file or a message cannot hold. A value that cannot be kept becomes a text in its place, which no
schema for numbers accepts: the tree refuses it with its reason like every other wrong argument.
"""

from __future__ import annotations

from dataclasses import dataclass, field
import json
import math
from typing import Any

from rover_common.llm.sanitize import sanitize_line, without_controls

SIZE_LIMIT = 8000  # characters of all arguments of a call
NESTING_LIMIT = 8  # levels of lists and objects
LONGEST_INTEGER = 2**63
_SHOWN = 200  # characters of malformed arguments that are shown to the model
_TOO_DEEP = '…(nested too deeply)'


@dataclass(frozen=True)
class Arguments:
    """Arguments that can be used, or why there are none."""

    values: dict[str, Any] = field(default_factory=dict)
    fault: str = ''  # the rest of a sentence that begins with 'The arguments of …'


def read_arguments(raw: object) -> Arguments:
    """Reads what a client library made of the arguments: an object, or text that should be one."""
    if isinstance(raw, str):
        raw = _parsed(raw) if raw.strip() else {}
    if not isinstance(raw, dict):
        shown = sanitize_line(raw.text if isinstance(raw, _Unread) else repr(raw), _SHOWN)
        return Arguments(fault=f'are not a JSON object: {shown!r}. Call it with a JSON object.')
    values = _harmless(raw)
    text = repr(values)
    if _TOO_DEEP in text:
        return Arguments(fault=f'are nested more than {NESTING_LIMIT} levels deep.')
    if len(text) > SIZE_LIMIT:
        return Arguments(fault=f'are longer than {SIZE_LIMIT} characters.')
    return Arguments(values)


@dataclass(frozen=True)
class _Unread:
    text: str


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _Unread(text)


def _harmless(value: Any, depth: int = 0) -> Any:
    if depth > NESTING_LIMIT:
        return _TOO_DEEP
    if isinstance(value, str):
        return without_controls(value)
    if isinstance(value, dict):
        return {
            without_controls(str(key)): _harmless(each, depth + 1) for key, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_harmless(each, depth + 1) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LONGEST_INTEGER:
        return f'beyond {LONGEST_INTEGER:.0e}'
    return value
