"""One line of the log: a short label, the words, and how a terminal shows them."""

from __future__ import annotations

from dataclasses import dataclass

from bt_executive.console.live_lines import MODE_STYLES
from bt_executive.view.sentences import in_words
from rover_common.trace_event import TraceEvent

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
    said, mode = in_words(event), (event.data or {}).get('mode')
    loud = MODE_STYLES[mode] if mode in LOUD else ''
    return LogLine(said.label, said.text, loud or STYLES.get(said.mood or said.label, ''))
