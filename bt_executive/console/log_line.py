"""One line of the log or the journal: a short label, the text, and its style."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args

from bt_executive.console.live_view_layout import MODE_STYLES
from bt_executive.core.value_formatting import format_fields
from bt_executive.store.store_rows import SavedEntry
from bt_executive.view.trace_sentences import describe_event
from rover_common.call_text import format_call
from rover_common.trace_event import Kind, TraceEvent

STYLES = {
    'thinks': 'italic',
    'says': 'bold',
    'asks you': 'bold magenta',
    'acts': 'cyan',
    'error': 'bold red',
    'allowed': 'green',
    'refused': 'yellow',
    'failed': 'red',
    'scored': 'bold',
}
HIGHLIGHTED = ('SAFE', 'CHARGE')  # modes whose first line has their colour


@dataclass(frozen=True)
class LogLine:
    """`style`: of rich."""

    label: str
    text: str
    style: str = ''


def log_line(event: TraceEvent) -> LogLine:
    """Return the line of a trace event."""
    sentence, mode = describe_event(event), (event.data or {}).get('mode')
    highlight = MODE_STYLES[mode] if mode in HIGHLIGHTED else ''
    style = highlight or STYLES.get(sentence.mood or sentence.label, '')
    return LogLine(sentence.label, sentence.text, style)


EVENTS = frozenset(get_args(Kind))
EVENT_FIELDS = frozenset(each.name for each in fields(TraceEvent))  # a later version has more


def journal_line(entry: SavedEntry) -> LogLine:
    """Return the line of an entry of the journal."""
    value = entry.value
    if entry.goal_end is not None:
        style = 'green' if entry.goal_end in ('reached', 'answered') else 'yellow'
        summary = (value.get('data') or {}).get('goal_ended') or {}
        text = f'{entry.goal_end.replace("_", " ")}: {summary.get("answer", "")}'
        return LogLine('end', text, style)
    if entry.kind in EVENTS:
        known = {name: each for name, each in value.items() if name in EVENT_FIELDS}
        return log_line(TraceEvent(**known))
    match entry.kind:
        case 'CALL':
            return LogLine('call', _call(value), 'cyan')
        case 'DECISION':
            text = _with_reason(str(value.get('type')), value.get('reason'))
            return LogLine('decides', text)
        case 'MESSAGE':
            return LogLine('says', f'{value.get("speaker")}: {value.get("content")}', 'italic')
        case 'RUN':
            text = f'An executive started (process {value.get("pid")}, {value.get("run_dir")})'
            return LogLine('run', text)
        case 'RUN_END':
            return LogLine('run', f'The executive ended: {value.get("how")}')
    return LogLine(entry.kind.lower(), format_fields(value), 'dim')


def _call(value: Mapping[str, Any]) -> str:
    call_id, event = value.get('session_id'), value.get('happened')
    if event == 'open':
        return f'{call_id} {format_call(str(value.get("label")), value.get("arguments") or {})}'
    return _with_reason(f'{call_id} {event} → {value.get("state")}', value.get('reason'))


def _with_reason(text: str, reason: Any) -> str:
    return f'{text}: {reason}' if reason else text
