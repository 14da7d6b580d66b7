"""Values of the executive as JSON values."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def plain(value: Any) -> Any:
    """Dataclasses, enums, mappings and what is in them as JSON values; anything else as text."""
    return _ANYTHING.dump_python(value, mode='json', fallback=str, warnings=False)
