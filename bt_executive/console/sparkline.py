"""Small pictures of numbers made of characters. Pure."""

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


def _bounded(value: float) -> float:
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0
