"""The trace event of spec 1 section 4.1: one line of the log that is meant to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import json
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, TypeAdapter

from rover_common.json_values import write_json

Kind = Literal['OBSERVE', 'HYPOTHESIZE', 'DECIDE', 'ACT', 'RESULT', 'ERROR']


@dataclass(frozen=True)
class TraceEvent:
    """One event. `ts` is ROS time in seconds; `data` holds JSON values, never picture bytes."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, allow_inf_nan=False)

    event_id: str
    ts: float
    kind: Kind
    message: str
    tool_name: str | None = None
    ok: bool | None = None
    error_reason: str | None = None
    score: float | None = None
    data: dict[str, Any] | None = None


_ADAPTER: TypeAdapter[TraceEvent] = TypeAdapter(TraceEvent)


def event_to_json(event: TraceEvent) -> str:
    """One line of JSON; optional fields that are None are left out.

    Halves of characters, which no JSON text can hold, are replaced.
    """
    try:
        return _ADAPTER.dump_json(event, exclude_none=True, fallback=str).decode()
    except ValueError:  # of pydantic, or of the codec
        return event_to_json(event_from_json(write_json(vars(event))))


def event_from_json(text: str) -> TraceEvent:
    """Reads one event; unknown fields are ignored.

    Raises:
        ValueError: The text is not JSON, or a field is missing or of a wrong type. The message
            names the field.
    """
    return _ADAPTER.validate_json(text)


def event_from_fields(fields: Mapping[str, Any]) -> TraceEvent:
    """Reads one event of parsed JSON, as `event_from_json` does.

    Raises:
        ValueError: A field is missing or of a wrong type. The message names it.
    """
    return event_from_json(json.dumps(fields))  # strict: an object is taken from JSON alone
