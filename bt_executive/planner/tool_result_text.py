"""What a tool came to, as the model reads it."""

from __future__ import annotations

import json

from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.goal_outcome import EDITED_TO
from rover_common.llm.sanitize import sanitize

RESULT_LIMIT = 2000  # characters of one tool result
REASON = 'error_reason'
REASON_LIMIT = 400  # characters of an error reason


def format_result(result: ToolResult) -> str:
    """A tool result as compact JSON with `ok`, `error_reason` (if refused) and `data` (if any).

    Arguments that the operator has edited stand beside the data: where that is cut, they are not.
    """
    shown: dict[str, object] = {'ok': result.ok}
    if not result.ok:
        shown[REASON] = sanitize(result.error_reason, REASON_LIMIT)
    data = dict(result.data)
    if EDITED_TO in data:
        shown[EDITED_TO] = data.pop(EDITED_TO)
    if data:
        shown['data'] = data
    text = compact_json(shown)
    if len(text) > RESULT_LIMIT:
        shown['data'] = sanitize(compact_json(data), RESULT_LIMIT // 2)
        text = compact_json({**shown, 'cut': True})
    return sanitize(text, 2 * RESULT_LIMIT)


def compact_json(value: object) -> str:
    """JSON without blanks; what JSON cannot say is written as text."""
    return json.dumps(value, ensure_ascii=False, separators=(',', ':'), default=str)
