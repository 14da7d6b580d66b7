"""The way that the rover has come, in as few points as the eye needs. Lengths in m."""

from __future__ import annotations

import math

Point = tuple[float, float, float]


class RoverPath:
    """Points at least `step` apart. When `most` are reached, every second one is dropped.

    The step doubles then, so a long drive keeps its shape and its price.
    """

    def __init__(self, step: float = 0.1, most: int = 1000) -> None:
        self._step = step
        self._most = most
        self._points: list[Point] = []

    @property
    def points(self) -> tuple[Point, ...]:
        """The points, oldest first."""
        return tuple(self._points)

    def take(self, point: Point) -> None:
        """Takes where the rover is now."""
        if self._points and math.dist(point, self._points[-1]) < self._step:
            return
        self._points.append(point)
        if len(self._points) >= self._most:
            self._points = self._points[::2]
            self._step *= 2.0
