"""A call of a tool as people write it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def format_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """Such as `move_forward(duration_s=5)`."""
    return f'{tool}({", ".join(f"{name}={value!r}" for name, value in arguments.items())})'
