"""One line of the log or the journal: a short label, the words, and how a terminal shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from bt_executive.console.live_view_lines import MODE_STYLES
from bt_executive.core.result_text import format_fields
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
LOUD = ('SAFE', 'CHARGE')  # modes whose begin is a line in their colour


@dataclass(frozen=True)
class LogLine:
    """`style`: of rich."""

    label: str
    text: str
    style: str = ''


def log_line(event: TraceEvent) -> LogLine:
    """The line of a trace event."""
    said, mode = describe_event(event), (event.data or {}).get('mode')
    loud = MODE_STYLES[mode] if mode in LOUD else ''
    return LogLine(said.label, said.text, loud or STYLES.get(said.mood or said.label, ''))


EVENTS = frozenset(get_args(Kind))


def journal_line(entry: SavedEntry) -> LogLine:
    """Return what an entry says."""
    value = entry.value
    if entry.goal_end is not None:
        style = 'green' if entry.goal_end in ('reached', 'answered') else 'yellow'
        summary = (value.get('data') or {}).get('goal_ended') or {}
        words = f'{entry.goal_end.replace("_", " ")}: {summary.get("answer", "")}'
        return LogLine('end', words, style)
    if entry.kind in EVENTS:
        return log_line(TraceEvent(**value))
    match entry.kind:
        case 'CALL':
            return LogLine('call', _call(value), 'cyan')
        case 'DECISION':
            return LogLine('decides', _because(str(value.get('type')), value.get('reason')))
        case 'MESSAGE':
            return LogLine('says', f'{value.get("speaker")}: {value.get("content")}', 'italic')
        case 'RUN':
            words = f'An executive started (process {value.get("pid")}, {value.get("run_dir")})'
            return LogLine('run', words)
        case 'RUN_END':
            return LogLine('run', f'The executive ended: {value.get("how")}')
    return LogLine(entry.kind.lower(), format_fields(value), 'dim')


def _call(value: Mapping[str, Any]) -> str:
    session, happened = value.get('session_id'), value.get('happened')
    if happened == 'open':
        return f'{session} {format_call(str(value.get("label")), value.get("arguments") or {})}'
    return _because(f'{session} {happened} → {value.get("state")}', value.get('reason'))


def _because(words: str, reason: Any) -> str:
    return f'{words}: {reason}' if reason else words
