"""The lines of trace.jsonl as a JSON Schema; docs/trace.schema.json is written from it."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from bt_executive.recording.formats import TRACE, VERSIONS, Header
from rover_common.trace_event import TraceEvent


def trace_schema() -> dict[str, Any]:
    """A line is the header of a life, or an event."""
    schema = TypeAdapter(Header | TraceEvent).json_schema(by_alias=True)
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        'title': f'{TRACE} {VERSIONS[TRACE]}',
        **schema,
    }
