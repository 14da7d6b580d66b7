"""How far it is at least to the goal, around what is blocked: Dijkstra's search over a raster.

The rover's turning circle is left out, so no path is shorter; a cell that is not reached says
that there is no path at all.
"""

from __future__ import annotations

import heapq
import math

from curiosity_navigation.collision_checker import CELL_M, Raster

COARSE = 2  # cells of the raster, in each direction, that make one cell here
STEP_M = COARSE * CELL_M
# Eight directions make a path longer by up to this factor than the straight line.
EIGHT_WAYS = 1.0 / math.cos(math.pi / 8.0)
NEIGHBOURS = [(dx, dy, math.hypot(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


class CostToGo:
    """Distance in m from any point of a raster to the goal."""

    def __init__(self, raster: Raster, x: float, y: float) -> None:
        self._raster = raster
        self._columns = (raster.columns + COARSE - 1) // COARSE
        self._rows = (raster.rows + COARSE - 1) // COARSE
        self._distance = [math.inf] * (self._columns * self._rows)
        self._search(self._cell(x, y))

    def metres(self, x: float, y: float) -> float:
        """Not more than the shortest path; infinite if there is none or the point is outside."""
        cell = self._cell(x, y)
        return self._distance[cell] / EIGHT_WAYS if cell >= 0 else math.inf

    def _cell(self, x: float, y: float) -> int:
        column = math.floor((x - self._raster.left) / STEP_M)
        row = math.floor((y - self._raster.bottom) / STEP_M)
        inside = 0 <= column < self._columns and 0 <= row < self._rows
        return row * self._columns + column if inside else -1

    def _search(self, goal: int) -> None:
        free, columns, distance = self._free(), self._columns, self._distance
        distance[goal] = 0.0
        queue = [(0.0, goal)]
        while queue:
            reached, cell = heapq.heappop(queue)
            if reached > distance[cell]:
                continue
            row, column = divmod(cell, columns)
            for dx, dy, steps in NEIGHBOURS:
                if not (0 <= column + dx < columns and 0 <= row + dy < self._rows):
                    continue
                other, far = cell + dy * columns + dx, reached + steps * STEP_M
                if free[other] and far < distance[other]:
                    distance[other] = far
                    heapq.heappush(queue, (far, other))

    def _free(self) -> bytearray:
        """A coarse cell is free if any of its cells is."""
        free = bytearray(self._columns * self._rows)
        raster = self._raster
        for row in range(raster.rows):
            line = raster.blocked[row * raster.columns : (row + 1) * raster.columns]
            at = (row // COARSE) * self._columns
            for column, blocked in enumerate(line):
                if not blocked:
                    free[at + column // COARSE] = 1
        return free
