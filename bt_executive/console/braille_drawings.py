"""The map and the curve of the scores in braille characters, for a wide terminal. Pure.

Of the libraries, plotille has its own colours and axes, which do not fit into the view, and
drawille is not maintained. Only dots and lines are needed (docs/decisions/0072).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math

from rich.text import Text

from bt_executive.view.current_presence_events_and_scores import Score
from bt_executive.view.run_view import RunView
from bt_executive.view.world_map_data import MapScale, Point

DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # by row and column in a cell
BLANK = 0x2800
CELL_COLUMNS, CELL_ROWS = 2, 4
MOST_STEPS = 2000  # of one line


class Canvas:
    """A drawing of dots, 2 × 4 in a cell, with the origin at the upper left, clipped."""

    def __init__(self, columns: int, rows: int) -> None:
        self.width, self.height = columns * CELL_COLUMNS, rows * CELL_ROWS
        self._cells = [[BLANK] * columns for _ in range(rows)]

    def dot(self, x: float, y: float) -> None:
        """Draw a dot."""
        column, row = round(x), round(y)
        if 0 <= column < self.width and 0 <= row < self.height:
            bit = DOTS[row % CELL_ROWS][column % CELL_COLUMNS]
            self._cells[row // CELL_ROWS][column // CELL_COLUMNS] |= bit

    def line(self, points: Iterable[tuple[float, float]]) -> None:
        """Draw straight lines from each point to the next."""
        previous: tuple[float, float] | None = None
        for x, y in points:
            from_x, from_y = previous or (x, y)
            steps = min(int(max(abs(x - from_x), abs(y - from_y))) + 1, MOST_STEPS)
            for step in range(steps + 1):
                fraction = step / steps
                self.dot(from_x + (x - from_x) * fraction, from_y + (y - from_y) * fraction)
            previous = x, y

    def rows(self) -> list[str]:
        """Return the drawing as a text for each row of cells."""
        return [''.join(map(chr, row)) for row in self._cells]


STEPS = '▁▂▃▄▅▆▇█'
FULL, EMPTY = '▇', '░'


def sparkline(values: Sequence[float], cells: int) -> str:
    """Draw the latest values, one cell each; they are clamped to 0 to 1."""
    latest = values[-cells:] if cells > 0 else ()
    return ''.join(STEPS[round(_clamped(value) * (len(STEPS) - 1))] for value in latest)


def bar(share: float, cells: int) -> str:
    """Draw a bar of `cells` cells; the fraction `share` of them, 0 to 1, is full."""
    full = round(_clamped(share) * cells)
    return FULL * full + EMPTY * (cells - full)


def _clamped(value: float) -> float:
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0


SMALLEST_M = 6.0  # side of the map
MARGIN_M = 1.0
ARROWS = '→↗↑↖←↙↓↘'
CURVE_ROWS = 3
LEAST_ROWS = 4
PLACES_SHOWN = 2000


def drawings(run: RunView, columns: int, rows: int) -> list[Text]:
    """Draw the map, and below it the curve of the scores if there are some and both fit."""
    scores = run.current.scores
    curve = CURVE_ROWS + 1 if scores and rows >= LEAST_ROWS + CURVE_ROWS + 1 else 0
    lines = score_map(run, columns, rows - curve)
    if curve:
        lines += score_curve(scores, columns, CURVE_ROWS)
    return lines[:rows]


def score_map(run: RunView, columns: int, rows: int) -> list[Text]:
    """Draw the driven path, and the pose as an arrow; empty while the pose is unknown."""
    poses, zones = run.series.poses, run.world.zones
    end = len(poses.yaw)  # another thread may be adding a pose: its yaw comes after x and y
    shown = slice(max(end - PLACES_SHOWN, 0), end)
    path = [*zip(poses.x[shown], poses.y[shown], strict=True)]
    if not path or rows < LEAST_ROWS:
        return []
    canvas = Canvas(columns, rows - 1)
    to_dots = MapScale(path, zones, (0, 0, canvas.width, canvas.height), MARGIN_M, SMALLEST_M)
    canvas.line(to_dots(point) for point in path)
    for zone in zones:
        canvas.line(to_dots(point) for point in (*zone.points, zone.points[0]))
    lines = [Text(row, 'cyan') for row in canvas.rows()]
    x, y = path[-1]
    _draw_robot(lines, to_dots((x, y)), poses.yaw[end - 1])
    return [Text(f'map  x {x:.1f} m, y {y:.1f} m', 'dim'), *lines]


def score_curve(scores: Sequence[Score], columns: int, rows: int) -> list[Text]:
    """Draw the scores in their order, from 0 at the bottom to 1."""
    canvas = Canvas(columns, rows)
    step = (canvas.width - 1) / max(len(scores) - 1, 1)
    canvas.line(
        (index * step, (canvas.height - 1) * (1.0 - min(max(score.value, 0.0), 1.0)))
        for index, score in enumerate(scores)
        if math.isfinite(score.value)
    )
    style = 'green' if scores[-1].is_good else 'yellow'
    return [Text('score, 0 to 1', 'dim'), *(Text(row, style) for row in canvas.rows())]


def _draw_robot(lines: list[Text], position: Point, yaw: float) -> None:
    column, row = int(position[0]) // CELL_COLUMNS, int(position[1]) // CELL_ROWS
    if not (0 <= row < len(lines) and 0 <= column < lines[row].cell_len):
        return
    octant = round(yaw / (math.pi / 4)) if math.isfinite(yaw) else 0
    line = lines[row].plain
    lines[row] = Text.assemble(
        (line[:column], 'cyan'),
        (ARROWS[octant % len(ARROWS)], 'bold yellow'),
        (line[column + 1 :], 'cyan'),
    )
