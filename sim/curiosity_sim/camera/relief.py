"""What the ground does to a picture: where rays meet it, and what it hides."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from curiosity_sim.array_types import Doubles
from curiosity_sim.camera.rays import Rays
from curiosity_sim.tiling_noise import Floats

FARTHEST_M = 3000.0  # beyond, nothing is seen but sky


class Relief(Protocol):
    """The ground as seen from one place."""

    def nearness(self, rays: Rays) -> Floats:
        """1 / distance along the ground, per m, at which rays meet it.

        Above the ground's crest: where the crest stands, so that tables have no edge there.
        """

    def crest(self, rays: Rays) -> Floats:
        """Sine of the elevation above which the sky begins, at the bearing of each ray."""

    def cover(self, places: Doubles, before: Doubles, /) -> Doubles:
        """Height in the odom frame, m, below which nothing can be seen at some places.

        Args:
            places: x and y in the odom frame, m, shape (n, 2).
            before: Only hills nearer than this hide anything; m along the ground, shape (n).
        """


class Plain:
    """Level ground at height 0, which hides nothing."""

    def __init__(self, height: float) -> None:
        self._height = height

    def nearness(self, rays: Rays) -> Floats:
        fall = rays.sine * rays.length / (rays.level * np.float32(-self._height))
        nearness: Floats = np.maximum(fall, np.float32(1.0 / FARTHEST_M))
        return nearness

    def crest(self, rays: Rays) -> Floats:
        return np.zeros_like(rays.sine)

    def cover(self, places: Doubles, _before: Doubles, /) -> Doubles:
        return np.full(len(places), -np.inf)
