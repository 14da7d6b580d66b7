"""The executive's state as people are shown it: a short text for each field, by its path.

What changes all the time and what is shown elsewhere is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
import json
from typing import Any

from pydantic import TypeAdapter

from bt_executive.core.state import BrainState

LONGEST_VALUE = 200  # characters
DIGITS = 3  # behind the point
LEFT_OUT = frozenset(
    {
        *('robot.pose_at', 'robot.pose_stamp', 'robot.status_at', 'robot.battery_at'),
        *('robot.heard_beat', 'robot.twist', 'messages', 'trace.log', 'world.summary'),
        *('world.places', 'world.remembered'),
    }
)
_ANY: TypeAdapter[Any] = TypeAdapter(Any)


def _paths() -> list[str]:
    """`part.field` of every field that is shown."""
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


def texts_of(state: BrainState) -> dict[str, str]:
    """Path of each field → its value as short text."""
    return {path: _text(state, path) for path in FIELDS}


def shown_value(value: Any) -> str:
    """A JSON value as short text."""
    text = value if isinstance(value, str) else json.dumps(_rounded(value), ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f'{text[:LONGEST_VALUE]} …'


def _text(state: BrainState, path: str) -> str:
    value: Any = state
    for name in path.split('.'):
        value = getattr(value, name)
    return shown_value(_ANY.dump_python(value, mode='json', fallback=str))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
