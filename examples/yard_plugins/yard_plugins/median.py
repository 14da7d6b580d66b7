"""A reducer: the middle of a list of numbers, which a single wrong one does not move."""

from __future__ import annotations

from collections.abc import Sequence
import math
from statistics import median as middle


def median(values: Sequence[float]) -> float | None:
    """Returns the median of the finite values; None if there is none."""
    finite = [each for each in values if math.isfinite(each)]
    return middle(finite) if finite else None
