"""Where something stands on the ground, and where it looks."""

from __future__ import annotations

from dataclasses import dataclass
import math


@dataclass(frozen=True)
class Pose2D:
    """A pose in the plane: m, and rad counterclockwise from the x axis."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    @property
    def point(self) -> tuple[float, float]:
        """Without the heading."""
        return self.x, self.y

    def distance(self, x: float, y: float) -> float:
        """To a point, in m."""
        return math.hypot(x - self.x, y - self.y)
