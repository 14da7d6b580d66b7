"""The lines of the live view, most urgent first, and their layout in a number of cells. Pure.

    ── EXEC  step 5, 42 s ───────────────────────────────────── battery ▇▇▇▇▇▇▇░ 87 % ──
    approve? move_forward(duration_s=2)  moves the robot  41 s left  :approve or :reject
    goal     look at the ground
    ▸ Pursue the goal › One round › Under guard
      ✓ Check the proposal  allowed

Above it is the log with the latest events, below it the input line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
import io
from typing import Any

from rich.console import Console
from rich.text import Text

from bt_executive.client import state_and_approval_text
from bt_executive.client.state_and_approval_text import remaining_s, requested_call
from bt_executive.client.tree_fold import FoldedRow, fold
from bt_executive.console.braille_drawings import bar, drawings, sparkline
from bt_executive.core.state import BrainState, Mode
from bt_executive.core.value_formatting import format_duration
from bt_executive.view.current_presence_events_and_scores import CurrentView
from bt_executive.view.holds_on_goals import Hold
from bt_executive.view.run_view import RunView
from rover_common.text_sanitizing import one_line

LABEL_CELLS = 8
BATTERY_CELLS = 8
SCORE_CELLS = 24
ROOM_FOR_BAR = 50
LARGEST_SCORE = 1000.0  # larger numbers, which are no scores, are written in scientific notation
LINK = ' › '
QUIET = 'no message from the executive; this is old'
MODE_STYLES = {
    'SAFE': 'bold white on red',
    'CHARGE': 'bold black on yellow',
    'EXEC': 'bold black on cyan',
    'IDLE': 'bold reverse',
    'PAUSE': 'bold black on yellow',
    'WAITS': 'bold white on magenta',
}
HOLDS = {'safe': 'SAFE', 'charge': 'CHARGE', 'pause': 'PAUSE'}
BATTERY_STYLES = {'LOW': 'bold red', 'LOST': 'bold red'}
STATUS_MARKS = {
    'running': ('▸', 'bold cyan'),
    'success': ('✓', 'green'),
    'failure': ('✗', 'yellow'),
    'invalid': ('·', 'dim'),
}


def header_text(view: CurrentView, clock: float, hold: Hold | None = None) -> Text:
    """Return the mode, or the first hold on goals. `clock`: steady time in s."""
    state = view.state
    if view.presence == 'starting':
        text = f'waiting for the executive, {format_duration(clock - view.since)}'
        return _badge('START', 'bold reverse', text)
    if view.presence == 'lost':
        text = f'the executive does not answer, {format_duration(clock - view.since)}; waiting'
        return _badge('GONE', 'bold white on red', text)
    if state is None:
        return _badge('READY', 'bold reverse', 'waiting for its state')
    label, text = _mode_badge(view, state)
    if hold is not None:
        label, text = HOLDS[hold.kind], _until(hold, view.now)
    if view.presence == 'quiet':
        text = QUIET
    return _badge(label, MODE_STYLES[label], text)


def battery_text(view: CurrentView, cells: int) -> Text:
    """Return the charge, with a bar where it fits; empty if it is unknown."""
    if view.state is None or view.state.robot.battery_at is None:
        return Text()
    robot = view.state.robot
    style = BATTERY_STYLES.get(robot.battery_state, 'yellow' if robot.battery_stale else 'green')
    charge = Text(state_and_approval_text.format_battery(robot), style)
    if cells < ROOM_FOR_BAR or robot.battery_pct is None:
        return charge
    return Text.assemble(
        'battery ', (bar(robot.battery_pct / 100.0, BATTERY_CELLS), style), ' ', charge
    )


def cause_lines(view: CurrentView, holds: Sequence[Hold]) -> Iterator[Text]:
    """Yield the cause of each hold in its colour. The header has what ends the first one."""
    for number, hold in enumerate(holds):
        label, until = HOLDS[hold.kind], '' if number == 0 else f'; {_until(hold, view.now)}'
        cause = f'paused by {hold.cause}' if hold.kind == 'pause' else hold.cause
        yield Text(f' {one_line(cause)}{until}', MODE_STYLES[label])


def urgent_lines(view: CurrentView, clock: float) -> Iterator[Text]:
    """Yield the question and the requests for the operator. `clock`: steady time in s."""
    if view.question:
        yield _line('asks you', Text(one_line(view.question), 'bold magenta'))
    for request in view.requests:
        yield _line('approve?', _request(request, clock + view.clock_offset_s))
        yield _line('', Text(_request_details(request), 'dim'))


def status_lines(view: CurrentView) -> Iterator[Text]:
    """Yield goal, score, model usage and robot, each on one line."""
    state = view.state
    if state is None:
        return
    active = state.tasks.active
    if active is not None:
        yield _line('goal', Text(one_line(active.title), 'bold'))
    queued = [one_line(goal) for goal in state_and_approval_text.queued_goals(state)]
    if queued:
        yield _line('next', Text('; '.join(queued)))
    if view.scores:
        yield _line('score', _scores(view))
    usage = state_and_approval_text.format_model_usage(state_and_approval_text.model_usage(state))
    if usage:
        yield _line('model', Text(one_line(usage)))
    robot = state.robot
    values = (
        state_and_approval_text.format_pose(robot),
        *state_and_approval_text.format_parts(robot),
        state_and_approval_text.format_motion(robot),
    )
    yield _line('robot', Text(one_line(', '.join(values))))


def streamed_line(view: CurrentView, cells: int) -> Text | None:
    """Return the end of the model's streamed output that fits; None: there is none."""
    words = one_line(view.streamed_text)
    if not words:
        return None
    room = max(cells - LABEL_CELLS - 1, 2)
    text = Text(words[-room:], 'italic')
    while text.cell_len > room:
        text = text[1:]
    return _line('says', text)


def tree_lines(view: CurrentView, rows: int, cells: int) -> Iterator[Text]:
    """Yield the behavior tree, folded into `rows` rows of `cells` cells."""
    if view.tree is None or rows < 1:
        return
    for row in fold(view.tree, rows):
        yield _row(row, cells)


def _mode_badge(view: CurrentView, state: BrainState) -> tuple[str, str]:
    """Return label and text of the mode, or that the executive waits for the operator."""
    mode = state.tasks.mode
    if mode is Mode.EXEC and view.requests:
        return 'WAITS', 'for you to approve or reject a call'
    if mode is Mode.EXEC and view.question:
        return 'WAITS', 'for your answer'
    return mode.value, _activity(state, view.now)


def _activity(state: BrainState, now: float) -> str:
    return (
        state.tasks.preempt_reason
        or state_and_approval_text.format_progress(state, now)
        or 'waiting for a goal'
    )


def _until(hold: Hold, now: float) -> str:
    """Return how long a hold has lasted, and what ends it. `now`: ROS seconds."""
    since = hold.since  # after now: simulated time has been reset
    duration = '' if since is None or since > now else f'for {format_duration(now - since)}; '
    if hold.kind != 'charge':
        return f'{duration}{":reset" if hold.kind == "safe" else ":resume"} ends it'
    level = '' if hold.until_pct is None else f' at {hold.until_pct:g} %'
    return f'{duration}goals resume by themselves{level}'


def _badge(label: str, style: str, text: str) -> Text:
    return Text.assemble((f' {label} ', style), ' ', one_line(text))


def _line(label: str, text: Text) -> Text:
    return Text.assemble((f'{label:<{LABEL_CELLS}} ', 'dim'), text)


def _request(request: Mapping[str, Any], now: float) -> Text:
    """Return the line of a request. `now`: system time in s."""
    call, remaining = one_line(requested_call(request)), remaining_s(request, now)
    time_left = '?' if remaining is None else format_duration(remaining)
    return Text.assemble((call, 'bold yellow'), f'  {time_left} left  :approve or :reject')


def _request_details(request: Mapping[str, Any]) -> str:
    values = (request.get(key) for key in ('id', 'amounts_to', 'risk', 'reason'))
    return one_line('; '.join(str(value) for value in values if value))


def _scores(view: CurrentView) -> Text:
    last = view.scores[-1]
    style = 'green' if last.is_good else 'yellow'
    verdict = 'good' if last.is_good else 'too dark'
    line = sparkline([score.value for score in view.scores], SCORE_CELLS)
    value = f'{last.value:.2f}' if abs(last.value) < LARGEST_SCORE else f'{last.value:.0e}'
    return Text.assemble((line, style), f' {value} {verdict}')


def _row(row: FoldedRow, cells: int) -> Text:
    is_inactive = row.status == 'failure' and not row.message  # a branch that does not apply now
    mark, style = ('–', 'dim') if is_inactive else STATUS_MARKS[row.status]
    lead = Text.assemble('  ' * row.depth, (f'{mark} ', style))
    message = Text(f'  {one_line(row.message)}' if row.message else '', 'dim')
    names = _chain(row, cells - lead.cell_len - min(message.cell_len, cells // 2))
    if row.status == 'invalid':
        names.stylize('dim')
    return Text.assemble(lead, names, message)


def _chain(row: FoldedRow, cells: int) -> Text:
    """Return the names of a row; if they do not fit, the last of them."""
    names = [one_line(name) for name in row.names]
    text = Text(LINK.join(names))
    while text.cell_len > cells and len(names) > 1:
        names = names[1:]
        text = Text(LINK.join(['…', *names]))
    text.highlight_regex(LINK, 'dim')
    return text


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
    above = [_top(view, size.columns, clock, holds), *cause_lines(view, holds)]
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
    left = Text.assemble((f'{RULE * 2} ', 'dim'), header_text(view, clock), ' ')
    right = battery_text(view, columns)
    if right:
        right = Text.assemble(' ', right, (f' {RULE * 2}', 'dim'))
    if left.cell_len + right.cell_len > columns:
        left.truncate(max(columns - right.cell_len, columns // 2), overflow='ellipsis')
    gap = columns - left.cell_len - right.cell_len
    return Text.assemble(left, (RULE * max(gap, 0), 'dim'), right)


def _alarm(view: CurrentView, columns: int, clock: float, hold: Hold) -> Text:
    """Return the row of the header in the colour of the hold."""
    left, right = (
        header_text(view, clock, hold).plain,
        battery_text(view, columns).plain,
    )
    row = Text(left, MODE_STYLES[HOLDS[hold.kind]])
    row.truncate(max(columns - Text(right).cell_len - 2, 0), overflow='ellipsis', pad=True)
    row.append(f' {right} ')
    return row


def _stacked(view: CurrentView, size: Size, clock: float) -> list[Text]:
    lines = _text_lines(view, size.columns, clock)[: max(size.rows - FEWEST_TREE_ROWS, 1)]
    return [*lines, *tree_lines(view, size.rows - len(lines), size.columns)]


def _text_lines(view: CurrentView, columns: int, clock: float) -> list[Text]:
    lines = [*urgent_lines(view, clock), *status_lines(view)]
    streamed = streamed_line(view, columns)
    return lines if streamed is None else [*lines, streamed]


def _side_by_side(run: RunView, size: Size, clock: float) -> list[Text]:
    view = run.current
    drawn: list[Text] = []
    if size.columns >= WIDEST:
        columns = size.columns * 22 // 100
        drawn = drawings(run, columns - len(BETWEEN), size.rows)
        size = Size(size.columns - columns if drawn else size.columns, size.rows)
    left_columns = size.columns * (10 if drawn else 12) // 20 - len(BETWEEN)
    left = [*tree_lines(view, size.rows, left_columns)]
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
