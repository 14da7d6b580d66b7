"""Values of the robot's parts, by the types that `state` of robot.yaml gives them. Pure."""

from __future__ import annotations

from typing import Any

from rover_common.config.settings.state_types_and_guards import ANY, BOOLEAN, NUMBER, PartType
from rover_common.finite_number import finite_number

LONGEST_TEXT = 200  # characters; a longer text is not taken


def has_type(value: Any, kind: PartType) -> bool:
    """Return whether a value is of a configured type. For listed texts, any text is."""
    if kind == BOOLEAN or (kind == ANY and isinstance(value, bool)):
        return isinstance(value, bool)
    if kind == NUMBER or (kind == ANY and not isinstance(value, str)):
        return finite_number(value) is not None
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def is_valid_value(value: Any, kind: PartType) -> bool:
    """Return whether a value is of a configured type, and one of the listed texts if any are."""
    return has_type(value, kind) and (not isinstance(kind, tuple) or value in kind)
