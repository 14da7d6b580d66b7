"""One line of the log: a short label, the words, and how a terminal shows them."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class LogLine:
    """`style`: of rich."""

    label: str
    text: str
    style: str = ''


def log_line(event: TraceEvent) -> LogLine:
    """The line of a trace event."""
    said = in_words(event)
    return LogLine(said.label, said.text, STYLES.get(said.mood or said.label, ''))
