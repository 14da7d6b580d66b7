"""Reads the response of a service into a ToolResult, as the skill's entry says."""

from __future__ import annotations

from collections.abc import Mapping
import json
from typing import Any

from bt_executive.ports import ToolResult
from bt_executive.settings import ResultFields

NO_REASON = 'The service reported failure without a reason'


def read_response(result: ResultFields, fields: Mapping[str, Any]) -> ToolResult:
    """The result in a response whose fields are given as JSON values.

    `ok` and `reason` name the fields of success and failure; the others become data, those in
    `json_fields` parsed from JSON text. Text that is not JSON stays text.
    """
    ok = bool(fields.get(result.ok, False)) if result.ok else True
    reason = str(fields.get(result.reason, '')) if result.reason else ''
    data: dict[str, Any] = {}
    for name, value in fields.items():
        if name in result.json_fields:
            _merge(data, result.json_fields[name] or name, value, not result.json_fields[name])
        elif name not in (result.ok, result.reason) or (ok and value and name == result.reason):
            data[name] = value
    return ToolResult(ok=ok, error_reason='' if ok else reason or NO_REASON, data=data)


def _merge(data: dict[str, Any], key: str, text: Any, into_top: bool) -> None:
    if not text:
        return
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        data[key] = text
        return
    if into_top and isinstance(value, dict):
        data.update(value)
    else:
        data[key] = value
