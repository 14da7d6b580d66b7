"""Entries of the journal's trace in words: one line each, for people. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from bt_executive.console.log_line import LogLine, log_line
from bt_executive.core.result_text import fields_in_words
from bt_executive.store.rows import SavedEntry
from rover_common.call_text import call_in_words
from rover_common.trace_event import Kind, TraceEvent

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
    return LogLine(entry.kind.lower(), fields_in_words(value), 'dim')


def _call(value: Mapping[str, Any]) -> str:
    session, happened = value.get('session_id'), value.get('happened')
    if happened == 'open':
        return f'{session} {call_in_words(str(value.get("label")), value.get("arguments") or {})}'
    return _because(f'{session} {happened} → {value.get("state")}', value.get('reason'))


def _because(words: str, reason: Any) -> str:
    return f'{words}: {reason}' if reason else words
