"""The dust in the air: what is far away takes its colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HAZE = np.array([150.0, 182.0, 212.0], np.float32)  # blue, green, red
HAZE_LENGTH_M = 160.0  # distance at which 63 % of the light is the haze's


def haze_at(distance: NDArray[np.floating]) -> NDArray[np.float64]:
    """The haze's part in the light from a distance in m, 0 to 1."""
    part: NDArray[np.float64] = 1.0 - np.exp(-np.asarray(distance, np.float64) / HAZE_LENGTH_M)
    return part
