"""A reducer: the median of a list of numbers, which is robust to single outliers."""

from __future__ import annotations

from collections.abc import Sequence
import math
import statistics


def median(values: Sequence[float]) -> float | None:
    """Returns the median of the finite values; None if there is none."""
    finite = [value for value in values if math.isfinite(value)]
    return statistics.median(finite) if finite else None
