"""The robot's parts: the fields of its status. Pure.

They are configured (`state` in robot.yaml). A value that is absent or of another type is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from rover_common.config.settings import PartType, PartValue
from rover_common.part_value import has_type

Parts: TypeAlias = Mapping[str, PartValue | None]  # field of the status → value; None: not known


def read_parts(status: Mapping[str, Any], types: Mapping[str, PartType]) -> dict[str, Any]:
    """Return the configured fields of a status; None: absent, or of another type."""
    return {name: _read(status.get(name), kind) for name, kind in types.items()}


def _read(value: Any, kind: PartType) -> PartValue | None:
    return value if has_type(value, kind) else None
