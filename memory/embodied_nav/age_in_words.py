"""How long ago something was seen, in words."""

from __future__ import annotations

MINUTE_S = 60.0
HOUR_S = 3600.0
# No robot's memory is so old: the time was not kept. Forests without times have zeros, which are
# half a century old.
UNKNOWN_S = 30 * 365 * 24 * HOUR_S


def duration(seconds: float) -> str:
    """A time with its unit: seconds up to two minutes, minutes up to two hours."""
    if seconds < 2 * MINUTE_S:
        return f'{max(0.0, seconds):.0f} s'
    if seconds < 2 * HOUR_S:
        return f'{seconds / MINUTE_S:.0f} min'
    return f'{seconds / HOUR_S:.1f} h'


def ago(seconds: float) -> str:
    """When something was: '90 s ago', or that nobody knows."""
    return 'at an unknown time' if seconds > UNKNOWN_S else f'{duration(seconds)} ago'
