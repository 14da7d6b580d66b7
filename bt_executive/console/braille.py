"""Drawing with braille: each cell has two by four dots. Pure.

plotille and drawille draw, too; one brings colours and axes of its own into a view that has its
own, the other is not kept any more. What is needed is dots and lines (docs/decisions/0072).
"""

from __future__ import annotations

from collections.abc import Iterable

DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # by row and column in a cell
BLANK = 0x2800
CELL_COLUMNS, CELL_ROWS = 2, 4
MOST_STEPS = 2000  # of one line


class Canvas:
    """So many cells. Dots are counted from the upper left; those outside are left out."""

    def __init__(self, columns: int, rows: int) -> None:
        self.width, self.height = columns * CELL_COLUMNS, rows * CELL_ROWS
        self._cells = [[BLANK] * columns for _ in range(rows)]

    def dot(self, x: float, y: float) -> None:
        """One dot."""
        column, row = round(x), round(y)
        if 0 <= column < self.width and 0 <= row < self.height:
            bit = DOTS[row % CELL_ROWS][column % CELL_COLUMNS]
            self._cells[row // CELL_ROWS][column // CELL_COLUMNS] |= bit

    def line(self, points: Iterable[tuple[float, float]]) -> None:
        """Straight lines from each point to the next."""
        before: tuple[float, float] | None = None
        for x, y in points:
            from_x, from_y = before or (x, y)
            steps = min(int(max(abs(x - from_x), abs(y - from_y))) + 1, MOST_STEPS)
            for step in range(steps + 1):
                part = step / steps
                self.dot(from_x + (x - from_x) * part, from_y + (y - from_y) * part)
            before = x, y

    def rows(self) -> list[str]:
        """The drawing, a text for each row of cells."""
        return [''.join(map(chr, row)) for row in self._cells]
