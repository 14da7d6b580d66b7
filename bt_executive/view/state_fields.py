"""The executive's state for display: a short text for each field, by path.

Fields that change all the time or are shown elsewhere are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
import json
from typing import Any

from pydantic import TypeAdapter

from bt_executive.core.state import BrainState

MAX_VALUE_CHARS = 200
DIGITS = 3  # after the decimal point
LEFT_OUT = frozenset(
    {
        *('robot.pose_at', 'robot.pose_stamp', 'robot.status_at', 'robot.battery_at'),
        *('robot.heard_beat', 'robot.twist', 'messages', 'trace.log', 'world.summary'),
        *('world.places', 'world.remembered'),
    }
)
_ANY: TypeAdapter[Any] = TypeAdapter(Any)


def _paths() -> list[str]:
    """Return `part.field` of every displayed field."""
    example = BrainState()
    paths = []
    for part in fields(BrainState):
        value = getattr(example, part.name)
        if is_dataclass(value):
            paths += [f'{part.name}.{each.name}' for each in fields(value)]
        else:
            paths.append(part.name)
    return [path for path in paths if path not in LEFT_OUT]


FIELDS = tuple(_paths())


def state_texts(state: BrainState) -> dict[str, str]:
    """Return the value of each field as short text, by path."""
    return {path: _text(state, path) for path in FIELDS}


def shown_value(value: Any) -> str:
    """Return a JSON value as short text."""
    text = value if isinstance(value, str) else json.dumps(_rounded(value), ensure_ascii=False)
    return text if len(text) <= MAX_VALUE_CHARS else f'{text[:MAX_VALUE_CHARS]} …'


def _text(state: BrainState, path: str) -> str:
    value: Any = state
    for name in path.split('.'):
        value = getattr(value, name)
    return shown_value(_ANY.dump_python(value, mode='json', fallback=str))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value
