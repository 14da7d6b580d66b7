"""Numbers that come from another process: JSON has some that no float can hold."""

from __future__ import annotations

import math


def finite_number(value: object) -> float | None:
    """The value, if it is a finite number; None for everything else.

    None, too, for a bool, a text, NaN, infinity, and an integer that is too large for a float.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
