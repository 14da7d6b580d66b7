"""What is new in the state, by part and field: `robot.pose`, `hci.question`.

The tools that a run offers are left out: they are those of its configuration.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from bt_executive.core.state import BrainState
from rover_common.json_text import to_json_value

LEFT_OUT = frozenset({'skills.registry'})

FlatState = dict[str, Any]  # part and field → JSON value


def state_changes(before: BrainState | None, after: BrainState) -> FlatState:
    """The fields that differ, with their values in `after`; all of them without `before`."""
    changed: FlatState = {}
    for part in fields(after):
        old, new = getattr(before, part.name, None), getattr(after, part.name)
        if old is new:
            continue
        if not is_dataclass(new):
            changed |= {part.name: to_json_value(new)} if old != new else {}
            continue
        for each in fields(new):
            path = f'{part.name}.{each.name}'
            value = getattr(new, each.name)
            same = old is not None and getattr(old, each.name) == value
            if not same and path not in LEFT_OUT:
                changed[path] = to_json_value(value)
    return changed


def flat_state(state: BrainState) -> FlatState:
    """The whole state."""
    return state_changes(None, state)
