"""Changes of the state by part and field, such as `robot.pose` or `hci.question`.

The tools of a run are left out: they are part of its configuration.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from bt_executive.core.state import BrainState
from rover_common.json_values import to_json_value

LEFT_OUT = frozenset({'skills.registry'})

FlatState = dict[str, Any]  # part and field → JSON value


def state_changes(before: BrainState | None, after: BrainState) -> FlatState:
    """Return the fields that differ, with their values in `after`; all fields without `before`."""
    changes: FlatState = {}
    for part in fields(after):
        old, new = getattr(before, part.name, None), getattr(after, part.name)
        if old is new:
            continue
        if not is_dataclass(new):
            changes |= {part.name: to_json_value(new)} if old != new else {}
            continue
        for field in fields(new):
            path = f'{part.name}.{field.name}'
            value = getattr(new, field.name)
            is_same = old is not None and getattr(old, field.name) == value
            if not is_same and path not in LEFT_OUT:
                changes[path] = to_json_value(value)
    return changes


def flat_state(state: BrainState) -> FlatState:
    """Return all fields of the state."""
    return state_changes(None, state)
