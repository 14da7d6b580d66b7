"""Values of the executive as JSON values."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, TypeAdapter

# What is no finite number stays what it is: a model may propose it, and is refused for it.
_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any, config=ConfigDict(ser_json_inf_nan='constants'))


def plain(value: Any) -> Any:
    """Dataclasses, enums, mappings and what is in them as JSON values; anything else as text."""
    return _ANYTHING.dump_python(value, mode='json', fallback=str, warnings=False)
