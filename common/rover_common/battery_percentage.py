"""The charge of a battery as `sensor_msgs/msg/BatteryState` has it."""

from __future__ import annotations

import math


def charge_pct(percentage: float) -> float | None:
    """The charge in %; None for NaN, which the message has where it was not measured.

    Args:
        percentage: The message's field of this name: a fraction from 0 to 1.

    Raises:
        ValueError: It is no such fraction. A driver that sends 0 to 100 would never be low.
    """
    if math.isnan(percentage):
        return None
    if not 0.0 <= percentage <= 1.0:
        raise ValueError(
            f'the battery reports percentage {percentage:g}; sensor_msgs/BatteryState has a '
            'fraction from 0 to 1 there, so its driver must be mended'
        )
    return 100.0 * percentage
