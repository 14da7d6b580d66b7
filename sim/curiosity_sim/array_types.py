"""The arrays that the simulation computes with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Pixels = NDArray[np.uint8]  # of a picture: 0 to 255
