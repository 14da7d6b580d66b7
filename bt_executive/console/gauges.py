"""Small pictures of numbers made of characters, and spans of time in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
import math

STEPS = '▁▂▃▄▅▆▇█'
FULL, EMPTY = '▇', '░'


def sparkline(values: Sequence[float], cells: int) -> str:
    """The latest values, each 0 to 1, one cell each; values beyond are drawn as the nearest."""
    latest = values[-cells:] if cells > 0 else ()
    return ''.join(STEPS[round(_bounded(value) * (len(STEPS) - 1))] for value in latest)


def bar(share: float, cells: int) -> str:
    """A bar of so many cells; `share` of them, 0 to 1, are full."""
    full = round(_bounded(share) * cells)
    return FULL * full + EMPTY * (cells - full)


def span(seconds: float) -> str:
    """A span of time as people say it: 7 s, 2 min 5 s, 1 h 12 min."""
    whole = int(seconds) if math.isfinite(seconds) and seconds > 0 else 0
    minutes, rest = divmod(whole, 60)
    if whole < 60:
        return f'{whole} s'
    if whole < 3600:
        return f'{minutes} min {rest} s'
    return f'{minutes // 60} h {minutes % 60} min'


def _bounded(value: float) -> float:
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0
