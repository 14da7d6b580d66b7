"""The names of inputs and calls in the store and in recorded runs.

A file keeps the names that it was written with: what is renamed in the code keeps its name here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, get_args

from bt_executive.core.call_table import ServerCall
from bt_executive.core.inputs import (
    BatteryReceived,
    Command,
    Input,
    MemoryReceived,
    PoseReceived,
    ReadinessReceived,
    ServerCallUpdate,
    StatusReceived,
    Telemetry,
    TopicReceived,
    ZonesReceived,
)

_NAMES: Mapping[type[Input], str] = {
    **{each: each.__name__ for each in (*get_args(Command), *get_args(Telemetry))},
    BatteryReceived: 'BatterySeen',
    MemoryReceived: 'MemorySeen',
    PoseReceived: 'PoseSeen',
    ReadinessReceived: 'ReadinessSeen',
    ServerCallUpdate: 'SessionAnswer',
    StatusReceived: 'StatusSeen',
    TopicReceived: 'TopicSeen',
    ZonesReceived: 'ZonesSeen',
}
INPUTS: Mapping[str, type[Input]] = {name: kind for kind, name in _NAMES.items()}
_FIELDS: Mapping[type, Mapping[str, str]] = {
    ServerCall: {'server_call_id': 'session_id'},
    ServerCallUpdate: {'server_call_id': 'session_id'},
}
_NOT_DATA = 'reply'  # of an input: a function, through which the sender is answered


def stored_name(given: Input) -> str:
    """Return the name of an input's class."""
    return _NAMES[type(given)]


def stored_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that are data."""
    return {stored: getattr(value, name) for stored, name in _stored_and_own(value.__class__)}


@cache
def _stored_and_own(kind: Any) -> tuple[tuple[str, str], ...]:
    """Return the stored name and the own name of each field of a class that is data."""
    names, own = _FIELDS.get(kind, {}), (each.name for each in fields(kind))
    return tuple((names.get(name, name), name) for name in own if name != _NOT_DATA)


def fields_in_code(kind: type, stored: Any) -> Any:
    """Return what `stored_fields` gave, with the names of the code; what is no object stays."""
    names = {name: own for own, name in _FIELDS.get(kind, {}).items()}
    if not names or not isinstance(stored, Mapping):
        return stored
    return {names.get(name, name): value for name, value in stored.items()}
