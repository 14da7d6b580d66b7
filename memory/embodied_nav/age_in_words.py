"""Formats ages and durations as text."""

from __future__ import annotations

MINUTE_S = 60.0
HOUR_S = 3600.0
# An older stamp was not set: forests without times have zeros, which are half a century ago.
UNKNOWN_S = 30 * 365 * 24 * HOUR_S


def duration(seconds: float) -> str:
    """Return a duration with its unit: seconds up to two minutes, minutes up to two hours."""
    if seconds < 2 * MINUTE_S:
        return f'{max(0.0, seconds):.0f} s'
    if seconds < 2 * HOUR_S:
        return f'{seconds / MINUTE_S:.0f} min'
    return f'{seconds / HOUR_S:.1f} h'


def ago(seconds: float) -> str:
    """Return an age as text: '90 s ago', or 'at an unknown time'."""
    return 'at an unknown time' if seconds > UNKNOWN_S else f'{duration(seconds)} ago'
