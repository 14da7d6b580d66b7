"""The dust in the air: what is far away takes its colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.rover.world import Look


class Haze:
    """The air of one world; its colour is blue, green, red."""

    def __init__(self, look: Look) -> None:
        self.colour = np.array(look.haze, np.float32)
        self.length = look.haze_length

    def at(self, distance: NDArray[np.floating]) -> NDArray[np.float64]:
        """The haze's part in the light from a distance in m, 0 to 1."""
        part: NDArray[np.float64] = 1.0 - np.exp(-np.asarray(distance, np.float64) / self.length)
        return part
