"""Tool results as text for the model."""

from __future__ import annotations

import json

from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.goal_outcome import EDITED_TO
from rover_common.text_sanitizing import sanitize

RESULT_LIMIT = 2000  # characters of one tool result
REASON = 'error_reason'
REASON_LIMIT = 400  # characters of an error reason


def format_result(result: ToolResult) -> str:
    """Return a tool result as compact JSON: `ok`, `error_reason` (if refused), `data` (if any).

    Arguments that the operator has edited are beside the data, which may be cut.
    """
    fields: dict[str, object] = {'ok': result.ok}
    if not result.ok:
        fields[REASON] = sanitize(result.error_reason, REASON_LIMIT)
    data = dict(result.data)
    if EDITED_TO in data:
        fields[EDITED_TO] = data.pop(EDITED_TO)
    if data:
        fields['data'] = data
    text = compact_json(fields)
    if len(text) > RESULT_LIMIT:
        fields['data'] = sanitize(compact_json(data), RESULT_LIMIT // 2)
        text = compact_json({**fields, 'cut': True})
    return sanitize(text, 2 * RESULT_LIMIT)


def compact_json(value: object) -> str:
    """Return JSON without blanks; values unknown to JSON become text."""
    return json.dumps(value, ensure_ascii=False, separators=(',', ':'), default=str)
