"""The robot's parts: the fields of its status. Pure.

Which fields there are is configuration (`state` in robot.yaml). What is absent, or of another
type, is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from rover_common.config.settings import PartType, PartValue
from rover_common.part_value import has_type

Parts: TypeAlias = Mapping[str, PartValue | None]  # field of the status → value; None: not known


def read_parts(status: Mapping[str, Any], types: Mapping[str, PartType]) -> dict[str, Any]:
    """The configured fields of a status; None for what is absent or of another type."""
    return {name: _read(status.get(name), kind) for name, kind in types.items()}


def _read(value: Any, kind: PartType) -> PartValue | None:
    return value if has_type(value, kind) else None
