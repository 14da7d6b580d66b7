"""The haze: what the air lets through from a distance, and the light that it adds itself."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Pixels
from curiosity_sim.rover.rocks import bgr
from rover_common.config.settings.world import AppearanceSettings


class Haze:
    """The air of one world; its colour is blue, green, red."""

    def __init__(self, look: AppearanceSettings) -> None:
        self.colour = np.array(bgr(look.haze), np.float32)
        self.length = look.haze_length_m
        clearness = np.arange(256)[:, None]
        light = (255 - clearness) / 255.0 * self.colour
        self._light = np.rint(np.column_stack([light, np.zeros(256)])).astype(np.uint8)[None]

    def at(self, distance: NDArray[np.floating]) -> NDArray[np.float64]:
        """The haze's part in the light from a distance in m, 0 to 1."""
        part: NDArray[np.float64] = 1.0 - np.exp(-np.asarray(distance, np.float64) / self.length)
        return part

    def before(self, clearness: Pixels) -> Pixels:
        """The light of the haze where so much is let through: four equal channels, 255 is all."""
        return np.asarray(cv2.LUT(clearness, self._light), np.uint8)
