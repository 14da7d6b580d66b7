"""Yes, no or unknown in a message: an int8 of bt_executive_interfaces."""

from __future__ import annotations

UNKNOWN, NO, YES = -1, 0, 1
_VALUES = {UNKNOWN: None, NO: False, YES: True}


def truth_to_ros(value: bool | None) -> int:
    """Return the number of a value; None is unknown."""
    return UNKNOWN if value is None else int(value)


def truth_from_ros(value: int, field: str) -> bool | None:
    """Return the value of a number; None is unknown.

    Raises:
        ValueError: It is no such number; the message names the field.
    """
    if value not in _VALUES:
        raise ValueError(f'{field} is {value}; it can be -1 (unknown), 0 (no) or 1 (yes)')
    return _VALUES[value]
