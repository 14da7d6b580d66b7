"""The lines of the live view as rich text, most urgent first. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from bt_executive.client import state_and_approval_text
from bt_executive.client.state_and_approval_text import remaining_s, requested_call
from bt_executive.client.tree_fold import FoldedRow, fold
from bt_executive.console.braille_drawings import bar, sparkline
from bt_executive.core.state import BrainState, Mode
from bt_executive.core.value_formatting import format_duration
from bt_executive.view.current_view import CurrentView
from bt_executive.view.holds_on_goals import Hold
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


def header(view: CurrentView, clock: float, hold: Hold | None = None) -> Text:
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


def battery(view: CurrentView, cells: int) -> Text:
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


def causes(view: CurrentView, holds: Sequence[Hold]) -> Iterator[Text]:
    """Yield the cause of each hold in its colour. The header has what ends the first one."""
    for number, hold in enumerate(holds):
        label, until = HOLDS[hold.kind], '' if number == 0 else f'; {_until(hold, view.now)}'
        cause = f'paused by {hold.cause}' if hold.kind == 'pause' else hold.cause
        yield Text(f' {one_line(cause)}{until}', MODE_STYLES[label])


def urgent(view: CurrentView, clock: float) -> Iterator[Text]:
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


def streamed_text(view: CurrentView, cells: int) -> Text | None:
    """Return the end of the model's streamed output that fits; None: there is none."""
    words = one_line(view.streamed_text)
    if not words:
        return None
    room = max(cells - LABEL_CELLS - 1, 2)
    text = Text(words[-room:], 'italic')
    while text.cell_len > room:
        text = text[1:]
    return _line('says', text)


def tree(view: CurrentView, rows: int, cells: int) -> Iterator[Text]:
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
        state_and_approval_text.hold_reason(state)
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
