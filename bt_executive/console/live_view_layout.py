"""The layout of the live view in a given number of cells. Pure.

    ── EXEC  step 5, 42 s ───────────────────────────────────── battery ▇▇▇▇▇▇▇░ 87 % ──
    approve? move_forward(duration_s=2)  moves the robot  41 s left  :approve or :reject
    goal     look at the ground
    ▸ Pursue the goal › One round › Under guard
      ✓ Check the proposal  allowed

Above it is the log with the latest events, below it the input line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import io

from rich.console import Console
from rich.text import Text

from bt_executive.console import live_view_lines
from bt_executive.console.braille_drawings import drawings
from bt_executive.console.live_view_lines import MODE_STYLES
from bt_executive.view.current_view import CurrentView
from bt_executive.view.holds_on_goals import Hold
from bt_executive.view.run_view import RunView

WIDE = 140  # cells; from here on the tree is beside the status lines
WIDEST = 190  # cells; from here on the map and the scores are beside both
FEWEST_TREE_ROWS = 3
TALLEST = 22
RULE = '─'
BETWEEN = ' │ '


@dataclass(frozen=True)
class Size:
    """A part of the screen, in cells."""

    columns: int
    rows: int


def rows_for(terminal_rows: int) -> int:
    """Return the number of rows of the view: nearly half; the log has the others."""
    return max(1, min(terminal_rows * 9 // 20, TALLEST) if terminal_rows > 8 else 1)


def panel(run: RunView, size: Size, clock: float) -> list[Text]:
    """Return `size.rows` lines of at most `size.columns` cells. `clock`: steady time in s."""
    view, holds = run.current, run.holds
    above = [_top(view, size.columns, clock, holds), *live_view_lines.causes(view, holds)]
    for line in above[1:]:
        line.truncate(size.columns, overflow='ellipsis', pad=True)  # the whole row is coloured
    below = max(size.rows - len(above), 0)
    if size.columns >= WIDE:
        lines = _side_by_side(run, Size(size.columns, below), clock)
    else:
        lines = _stacked(view, Size(size.columns, below), clock)
    lines = [*above, *lines, *[Text()] * below][: size.rows]
    for line in lines:
        line.truncate(size.columns, overflow='ellipsis')
    return lines


def to_ansi(lines: Iterable[Text], columns: int, colours: bool) -> str:
    """Return the lines as text with escape sequences for their styles."""
    console = Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system='standard',
        no_color=not colours,
        width=columns,
        highlight=False,
        legacy_windows=False,
    )
    with console.capture() as captured:
        for line in lines:
            console.print(line, no_wrap=True, overflow='crop', crop=True)
    return captured.get().removesuffix('\n')


def _top(view: CurrentView, columns: int, clock: float, holds: Sequence[Hold]) -> Text:
    if holds:
        return _alarm(view, columns, clock, holds[0])
    left = Text.assemble((f'{RULE * 2} ', 'dim'), live_view_lines.header(view, clock), ' ')
    right = live_view_lines.battery(view, columns)
    if right:
        right = Text.assemble(' ', right, (f' {RULE * 2}', 'dim'))
    if left.cell_len + right.cell_len > columns:
        left.truncate(max(columns - right.cell_len, columns // 2), overflow='ellipsis')
    gap = columns - left.cell_len - right.cell_len
    return Text.assemble(left, (RULE * max(gap, 0), 'dim'), right)


def _alarm(view: CurrentView, columns: int, clock: float, hold: Hold) -> Text:
    """Return the row of the header in the colour of the hold."""
    left, right = (
        live_view_lines.header(view, clock, hold).plain,
        live_view_lines.battery(view, columns).plain,
    )
    row = Text(left, MODE_STYLES[live_view_lines.HOLDS[hold.kind]])
    row.truncate(max(columns - Text(right).cell_len - 2, 0), overflow='ellipsis', pad=True)
    row.append(f' {right} ')
    return row


def _stacked(view: CurrentView, size: Size, clock: float) -> list[Text]:
    lines = _text_lines(view, size.columns, clock)[: max(size.rows - FEWEST_TREE_ROWS, 1)]
    return [*lines, *live_view_lines.tree(view, size.rows - len(lines), size.columns)]


def _text_lines(view: CurrentView, columns: int, clock: float) -> list[Text]:
    lines = [*live_view_lines.urgent(view, clock), *live_view_lines.status_lines(view)]
    streamed = live_view_lines.streamed_text(view, columns)
    return lines if streamed is None else [*lines, streamed]


def _side_by_side(run: RunView, size: Size, clock: float) -> list[Text]:
    view = run.current
    drawn: list[Text] = []
    if size.columns >= WIDEST:
        columns = size.columns * 22 // 100
        drawn = drawings(run, columns - len(BETWEEN), size.rows)
        size = Size(size.columns - columns if drawn else size.columns, size.rows)
    left_columns = size.columns * (10 if drawn else 12) // 20 - len(BETWEEN)
    left = [*live_view_lines.tree(view, size.rows, left_columns)]
    right = _text_lines(view, size.columns - left_columns - len(BETWEEN), clock)
    lines = []
    for number in range(size.rows):
        line = left[number] if number < len(left) else Text()
        line.truncate(left_columns, overflow='ellipsis', pad=True)
        line.append(BETWEEN, 'dim')
        line += right[number] if number < len(right) else Text()
        if drawn:
            line.truncate(size.columns, overflow='ellipsis', pad=True)
            line.append(BETWEEN, 'dim')
            line += drawn[number] if number < len(drawn) else Text()
        lines.append(line)
    return lines
