"""The executive's state as the page shows it: a text for each field, by its number."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import TypeAdapter

from bt_executive.core.state import BrainState
from bt_executive.report.brain_state import LEFT_OUT, shown_value

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


def texts_of(state: BrainState) -> dict[int, str]:
    """Number of the field → its value as short text."""
    return {number: _text(state, path) for number, path in enumerate(FIELDS)}


def _text(state: BrainState, path: str) -> str:
    value: Any = state
    for name in path.split('.'):
        value = getattr(value, name)
    return shown_value(_ANY.dump_python(value, mode='json', fallback=str))
