"""The rover from above: what has to fit between obstacles. Lengths in m.

Three equal discs in a row cover the rectangle of body and wheels. The outer two touch its corners
from rover_common.geometry.pose2d import Pose2D
from within; the middle one keeps the rover's centre, which is where plans are made for, on free
ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rover_common.config.settings import NavigationSettings
from rover_common.geometry.pose2d import Pose2D

Points = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Footprint:
    """Discs of one radius: at the rover's centre, and `offset_m` before and behind it."""

    radius_m: float
    offset_m: float

    @classmethod
    def of(cls, settings: NavigationSettings) -> Footprint:
        """The discs over a rectangle of the configured length and width."""
        quarter = settings.length_m / 4.0
        return cls(math.hypot(quarter, settings.width_m / 2.0), quarter)

    def tracks(self, places: Sequence[Pose2D]) -> Points:
        """Where the centres of the discs are at each place: discs, places, x and y."""
        x, y, yaw = np.array([(each.x, each.y, each.yaw) for each in places]).T
        return np.stack(
            [
                np.stack([x + ahead * np.cos(yaw), y + ahead * np.sin(yaw)], axis=1)
                for ahead in self.offsets
            ]
        )

    @property
    def offsets(self) -> tuple[float, float, float]:
        """Of the discs, along the rover's axis."""
        return -self.offset_m, 0.0, self.offset_m
