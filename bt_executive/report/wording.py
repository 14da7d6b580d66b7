"""Values in words, for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
import json
from typing import Any

EPOCH_FROM_S = 1e9  # ROS seconds below it count from the start of a simulation
LONGEST_TEXT = 2000

OUTCOMES = {
    'reached': 'reached',
    'gave_up': 'gave up',
    'interrupted': 'interrupted',
    'failed': 'failed',
    'unfinished': 'unfinished',
}


def duration(seconds: float) -> str:
    """A length of time, to what a reader needs of it."""
    if abs(seconds) < 0.95:
        return f'{seconds * 1000:.0f} ms'
    if abs(seconds) < 59.95:
        return f'{seconds:.1f} s'
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours} h {minutes:02d} min' if hours else f'{minutes} min {rest:02d} s'


def moment(ts: float) -> str:
    """A ROS time as date and time in UTC, or as seconds of simulated time."""
    if ts < EPOCH_FROM_S:
        return f'{ts:.1f} s of simulated time'
    try:
        return datetime.fromtimestamp(ts, timezone.utc).strftime('%Y-%m-%d %H:%M:%S UTC')
    except (OverflowError, OSError, ValueError):
        return f'{ts:g} s, which is no date'


def call(tool: str, arguments: Mapping[str, Any]) -> str:
    """A tool call as one would write it."""
    inside = ', '.join(
        f'{name}={json.dumps(value, ensure_ascii=False, default=str)}'
        for name, value in arguments.items()
    )
    return shortened(f'{tool}({inside})' if inside else tool)


def shortened(text: str) -> str:
    """A text that is not longer than a page can bear."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + '…'


def outcome(word: str) -> str:
    """How a goal ended."""
    return OUTCOMES.get(word, word.replace('_', ' '))


def figure(value: Any, form: str, unit: str = '') -> str:
    """A measured number with its unit; a dash if there is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return '–'
    return f'{value:{form}}{unit}'
