"""The map and the curve of the scores in braille, beside the facts of a wide terminal. Pure.

plotille and drawille draw, too; one brings colours and axes of its own into a view that has its
own, the other is not kept any more. What is needed is dots and lines (docs/decisions/0072).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math

from rich.text import Text

from bt_executive.view.current_view import Score
from bt_executive.view.run_view import RunView

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


STEPS = '▁▂▃▄▅▆▇█'
FULL, EMPTY = '▇', '░'


def sparkline(values: Sequence[float], cells: int) -> str:
    """The latest values, each 0 to 1, one cell each; values beyond are drawn as the nearest."""
    latest = values[-cells:] if cells > 0 else ()
    return ''.join(STEPS[round(_bounded(value) * (len(STEPS) - 1))] for value in latest)


def bar(share: float, cells: int) -> str:
    """A bar of so many cells; `share` of them, 0 to 1, are full."""
    full = round(_bounded(share) * cells)
    return FULL * full + EMPTY * (cells - full)


def _bounded(value: float) -> float:
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0


SMALLEST_M = 6.0  # of the world that is shown
MARGIN_M = 1.0
ARROWS = '→↗↑↖←↙↓↘'
CURVE_ROWS = 3
LEAST_ROWS = 4
PLACES_SHOWN = 2000
Point = tuple[float, float]


def drawings(run: RunView, columns: int, rows: int) -> list[Text]:
    """The map, and below it the scores if there are some and room for both."""
    scores = run.current.scores
    curve = CURVE_ROWS + 1 if scores and rows >= LEAST_ROWS + CURVE_ROWS + 1 else 0
    lines = score_map(run, columns, rows - curve)
    if curve:
        lines += score_curve(scores, columns, CURVE_ROWS)
    return lines[:rows]


def score_map(run: RunView, columns: int, rows: int) -> list[Text]:
    """Where the robot was, and where it is now: an arrow. Empty while nobody knows."""
    poses, zones = run.series.poses, [zone.points for zone in run.world.zones]
    path = [*zip(poses.x[-PLACES_SHOWN:], poses.y[-PLACES_SHOWN:], strict=False)]
    if not path or rows < LEAST_ROWS:
        return []
    near = _near(path, [point for zone in zones for point in zone])
    canvas = Canvas(columns, rows - 1)
    place = _Placer([*path, *near], canvas)
    canvas.line(place(point) for point in path)
    for zone in zones:
        canvas.line(place(point) for point in (*zone, zone[0]))
    lines = [Text(row, 'cyan') for row in canvas.rows()]
    x, y = path[-1]
    _put_robot(lines, place((x, y)), poses.yaw[len(poses.x) - 1])
    return [Text(f'map  x {x:.1f} m, y {y:.1f} m', 'dim'), *lines]


def score_curve(scores: Sequence[Score], columns: int, rows: int) -> list[Text]:
    """The scores over their numbers, from 0 at the foot to 1."""
    canvas = Canvas(columns, rows)
    step = (canvas.width - 1) / max(len(scores) - 1, 1)
    canvas.line(
        (index * step, (canvas.height - 1) * (1.0 - min(max(score.value, 0.0), 1.0)))
        for index, score in enumerate(scores)
        if math.isfinite(score.value)
    )
    style = 'green' if scores[-1].is_good else 'yellow'
    return [Text('score, 0 to 1', 'dim'), *(Text(row, style) for row in canvas.rows())]


def _near(path: Sequence[Point], corners: Sequence[Point]) -> list[Point]:
    """Corners of zones that are not far from where the robot was."""
    xs, ys = [x for x, _ in path], [y for _, y in path]
    return [
        (x, y)
        for x, y in corners
        if min(xs) - SMALLEST_M < x < max(xs) + SMALLEST_M
        and min(ys) - SMALLEST_M < y < max(ys) + SMALLEST_M
    ]


class _Placer:
    """From m to dots; one m is as long in both directions, and y points up."""

    def __init__(self, points: Sequence[Point], canvas: Canvas) -> None:
        xs, ys = [x for x, _ in points], [y for _, y in points]
        self._x, self._y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
        self._per_m = min(
            canvas.width / max(max(xs) - min(xs) + 2 * MARGIN_M, SMALLEST_M),
            canvas.height / max(max(ys) - min(ys) + 2 * MARGIN_M, SMALLEST_M),
        )
        self._middle = canvas.width / 2, canvas.height / 2

    def __call__(self, point: Point) -> Point:
        x, y = point
        return (
            self._middle[0] + (x - self._x) * self._per_m,
            self._middle[1] - (y - self._y) * self._per_m,
        )


def _put_robot(lines: list[Text], at: Point, yaw: float) -> None:
    column, row = int(at[0]) // 2, int(at[1]) // 4
    if not (0 <= row < len(lines) and 0 <= column < lines[row].cell_len):
        return
    turn = round(yaw / (math.pi / 4)) if math.isfinite(yaw) else 0
    line = lines[row].plain
    lines[row] = Text.assemble(
        (line[:column], 'cyan'),
        (ARROWS[turn % len(ARROWS)], 'bold yellow'),
        (line[column + 1 :], 'cyan'),
    )
