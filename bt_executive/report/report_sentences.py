"""Values in words, for people."""

from __future__ import annotations

from datetime import datetime, timezone
import math

from bt_executive.view.run_clock import EPOCH_FROM_S


def duration(seconds: float) -> str:
    """A length of time, to what a reader needs of it."""
    if not 0.0 <= seconds < math.inf:
        return 'unknown'
    if seconds < 0.95:
        return f'{seconds * 1000:.0f} ms'
    if seconds < 59.95:
        return f'{seconds:.1f} s'
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours} h {minutes:02d} min' if hours else f'{minutes} min {rest:02d} s'


def moment(ts: float) -> str:
    """A ROS time as date and time in UTC, or as seconds of simulated time."""
    if abs(ts) < EPOCH_FROM_S:
        return f'{ts:.1f} s of simulated time'
    try:
        return datetime.fromtimestamp(ts, timezone.utc).strftime('%Y-%m-%d %H:%M:%S UTC')
    except (OverflowError, OSError, ValueError):
        return f'{ts:g} s, which is not a date'
