"""The way that the rover has come, in as few points as the eye needs. Lengths in m."""

from __future__ import annotations

import math

from curiosity_viz.markers import Point

LEAP_M = (
    3.0  # between two poses: the world frame jumped, or the motion between them was not observed
)


class RoverPath:
    """Strokes of points at least `step` apart; a leap begins a new stroke.

    When there are `most` points, every second one is dropped and the step doubles, so a long
    drive keeps its shape and its price.
    """

    def __init__(self, step: float = 0.1, most: int = 1000) -> None:
        self._finest = self._step = step
        self._most = most
        self._strokes: list[list[Point]] = []

    @property
    def strokes(self) -> tuple[tuple[Point, ...], ...]:
        """The strokes, each with its oldest point first."""
        return tuple(map(tuple, self._strokes))

    def add(self, point: Point) -> None:
        """Add the rover's current place."""
        far = math.dist(point, self._strokes[-1][-1]) if self._strokes else math.inf
        if far < self._step:
            return
        if far > LEAP_M + self._step:
            self._begin_stroke()
        self._strokes[-1].append(point)
        if sum(map(len, self._strokes)) >= self._most:
            self._thin_out()

    def clear(self) -> None:
        """Clear the path, for a world that began anew."""
        self._strokes, self._step = [], self._finest

    def _begin_stroke(self) -> None:
        """A stroke of a single point is invisible: the new one replaces it."""
        if self._strokes and len(self._strokes[-1]) == 1:
            self._strokes.pop()
        self._strokes.append([])

    def _thin_out(self) -> None:
        *before, last = (stroke[::2] for stroke in self._strokes)
        self._strokes = [*(stroke for stroke in before if len(stroke) > 1), last]
        self._step *= 2.0
