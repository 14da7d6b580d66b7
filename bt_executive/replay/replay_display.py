"""Shows a replay: lines, tables and trees. Recorded text is made printable first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
import json
import re
import sys
from typing import IO, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bt_executive.replay.recorded_run import RecordedRun
from bt_executive.replay.recorded_ticks import RecordedProcess, RecordedTick
from bt_executive.replay.replay_of_process import Difference, Moment, replay
from bt_executive.replay.replay_options import DIFFERENT, HELP, IDENTICAL, ReplayOptions, Until
from bt_executive.replay.what_if_other_configuration import Comparison, JudgedProposal
from bt_executive.store.tick_recorder import REQUEST_KINDS, RecordKind
from bt_executive.store.tree_and_state_changes import FlatState, flat_state, state_changes
from bt_executive.tree.tree_summary import draw
from rover_common.call_text import format_call
from rover_common.config.settings import Config
from rover_common.text_sanitizing import one_line, printable

LONGEST_VALUE = 200  # characters of a value
PIPE_CELLS = 200
STYLES = {'[✓]': 'green', '[✕]': 'red', '[*]': 'blue'}
# Kinds that are not listed as received: requests and marks.
NOT_INPUTS = frozenset(
    note.value for note in (*REQUEST_KINDS, RecordKind.TRACE, RecordKind.TICK, RecordKind.QUIET)
)
NOT_A_FORECAST = (
    'Each proposal is judged by the recorded state of its moment. From the first difference on '
    'this is what the guards say, and no forecast: the recorded world does not answer to what '
    'would have been done instead.'
)


def make_console(file: IO[str] | None = None) -> Console:
    """Return a console on standard output or a file; lines in a pipe are not wrapped."""
    console = Console(file=file, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PIPE_CELLS
    return console


def show_notes(console: Console, notes: Sequence[str]) -> None:
    """Show notes about the recording."""
    for note in notes:
        console.print(Text(f'Note: {one_line(note)}', 'yellow'), soft_wrap=True)


def show_difference(
    console: Console, process: RecordedProcess, difference: Difference, start_s: float
) -> None:
    """Show the first difference, with the recorded and the replayed state."""
    tick = difference.tick
    what = 'an event of the trace' if difference.kind == 'event' else 'a call'
    console.print(Text(f'First difference: {tick_and_time(tick, start_s)}, {what}', 'bold red'))
    for side, value in (('recorded', difference.recorded), ('replayed', difference.replayed)):
        console.print(Text(f'  {side}: {describe_call_or_event(value)}'), soft_wrap=True)
    _show_parts(console, difference)
    guard = (
        f' ({difference.tree.guard}: {difference.tree.reason})' if difference.tree.guard else ''
    )
    console.print(
        Text(f'  replayed tree: {one_line(difference.tree.tip + guard)}'), soft_wrap=True
    )
    if difference.before is not None:
        number, state = difference.before
        which = f'before, after tick {number}'
        _show_states(console, which, process.state_after(number), flat_state(state))
    else:
        console.print('State before: it was not recorded.')
    if tick.number in process.states:
        _show_states(
            console, 'after', process.state_after(tick.number), flat_state(difference.after)
        )
    else:
        console.print('State after: it was not recorded.')


def describe_call_or_event(value: Any) -> str:
    """Describe an event or a call in one line."""
    if value is None:
        return 'nothing'
    if isinstance(value, dict):
        return one_line(f'{value.get("kind")}: {value.get("message")}')
    port, fields = value
    return f'{port} {_short(fields)}'


def tick_and_time(tick: RecordedTick, start_s: float) -> str:
    """Describe a tick by number and time."""
    return f'tick {tick.number}, {tick.now.steady - start_s:.2f} s'


def show_moment(console: Console, moment: Moment, start_s: float) -> None:
    """Show inputs, events, requests and state changes of a tick."""
    tick, replay = moment.tick, moment.replay
    mode = replay.context.state.tasks.mode.value
    console.print(Text(f'{tick_and_time(tick, start_s)}, mode {mode}', 'bold'))
    received = [entry.event for entry in tick.entries if entry.event not in NOT_INPUTS]
    if received:
        console.print(Text(f'  received: {", ".join(dict.fromkeys(received))}'), soft_wrap=True)
    for event in replay.events:
        console.print(Text(f'  {event.kind}: {one_line(event.message)}'), soft_wrap=True)
    for call in replay.requests:
        console.print(Text(f'  asks {describe_call_or_event(call)}'), soft_wrap=True)
    for path, value in state_changes(moment.before, replay.context.state).items():
        console.print(Text(f'  {path} = {_short(value)}'), soft_wrap=True)


def show_tree(console: Console, moment: Moment) -> None:
    """Show the tree after a tick."""
    drawn = Text(printable(draw(moment.replay.executive.root)))
    for status, style in STYLES.items():
        drawn.highlight_regex(re.escape(status), style)
    console.print(drawn, soft_wrap=True)


def show_state(console: Console, moment: Moment) -> None:
    """Show the state after a tick."""
    for path, value in flat_state(moment.replay.context.state).items():
        console.print(Text(f'{path} = {_short(value)}'), soft_wrap=True)


def show_comparison(console: Console, comparison: Comparison) -> None:
    """Show the proposals with both verdicts."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style='bold')
    for title in ('', 'tick', 'time', 'proposal', 'recorded', 'now'):
        table.add_column(title, justify='right' if title in ('tick', 'time') else 'left')
    for row in comparison.proposals:
        table.add_row(*_cells(row), style='bold' if row.differs else '')
    console.print(table)
    count = sum(row.differs for row in comparison.proposals)
    total = len(comparison.proposals)
    console.print(
        f'{total} proposals, all with the recorded verdict'
        if not count
        else f'{total} proposals, {count} with another verdict (≠)'
    )
    if count:
        console.print(Text(NOT_A_FORECAST))


def _cells(row: JudgedProposal) -> tuple[str, ...]:
    call = one_line(format_call(row.proposal.tool, row.proposal.arguments))
    return (
        '≠' if row.differs else '',
        str(row.tick),
        f'{row.seconds:.1f} s',
        call[:LONGEST_VALUE],
        one_line(str(row.recorded)),
        one_line(str(row.now)),
    )


def _show_parts(console: Console, difference: Difference) -> None:
    """Show the fields in which two events or two calls of the same kind differ."""
    was, now = difference.recorded, difference.replayed
    if was is None or now is None:
        return
    if difference.kind == 'call':
        (port, was), (other, now) = was, now
        if port != other:
            return
    elif was.get('kind') != now.get('kind'):
        return
    flat_was, flat_now = _flat(was), _flat(now)
    paths = [path for path in {**flat_was, **flat_now} if flat_was.get(path) != flat_now.get(path)]
    for path in paths:
        line = f'  {path}: {_short(flat_was.get(path))} → {_short(flat_now.get(path))}'
        console.print(Text(line), soft_wrap=True)


def _flat(value: Mapping[str, Any], path: str = '') -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, item in value.items():
        inner = f'{path}{key}'
        flat |= _flat(item, f'{inner}.') if isinstance(item, dict) and item else {inner: item}
    return flat


def _show_states(console: Console, which: str, was: FlatState, now: FlatState) -> None:
    paths = [path for path in now if path in was and _short(was[path]) != _short(now[path])]
    if not paths:
        console.print(f'State {which}: the same on both sides.')
        return
    table = Table(title=f'State {which}', title_justify='left', box=None, pad_edge=False)
    for title in ('field', 'recorded', 'replayed'):
        table.add_column(title)
    for path in paths:
        table.add_row(path, _short(was[path]), _short(now[path]))
    console.print(table)


def _short(value: Any) -> str:
    text = one_line(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= LONGEST_VALUE else f'{text[:LONGEST_VALUE]} …'


@dataclass
class ReplayDisplay:
    """Replays a run, shows its ticks, and stops at the requested one."""

    console: Console
    run: RecordedRun
    options: ReplayOptions
    ticks: int = 0
    decisions: int = 0
    events: int = 0
    _target: Until | None = field(init=False)  # the tick to stop at

    def __post_init__(self) -> None:
        self._target = self.options.until

    def show(self, config: Config) -> int:
        """Replays up to the end, a difference or the requested tick; returns the exit code."""
        start_s = next(self.run.ticks).now.steady
        last: Moment | None = None
        for moment in replay(self.run, config):
            self._count(moment)
            if moment.difference is not None:
                self._show_if_requested(moment)
                show_difference(self.console, moment.process, moment.difference, start_s)
                return DIFFERENT
            last = moment
            reached = self._target is None or self._target.reached(moment, start_s)
            if self.options.step and reached:
                show_moment(self.console, moment, start_s)
                if not self._prompt(moment):
                    break
            elif reached and self._target is not None:
                break
        else:
            self._check_until(last)
        if last is not None and not self.options.step:
            self._show_if_requested(last)
        self._print_identical(last)
        return IDENTICAL

    def _count(self, moment: Moment) -> None:
        events = moment.replay.events
        self.ticks += 1
        self.events += len(events)
        self.decisions += sum(event.kind == 'DECIDE' for event in events)

    def _check_until(self, last: Moment | None) -> None:
        if self.options.until is not None and not self.options.step and last is not None:
            show_notes(self.console, [f'The run ends before: at tick {last.tick.number}.'])

    def _show_if_requested(self, moment: Moment) -> None:
        """Shows the tree and the state, if requested."""
        if self.options.tree:
            show_tree(self.console, moment)
        if self.options.state:
            show_state(self.console, moment)

    def _print_identical(self, last: Moment | None) -> None:
        counts = f'{self.ticks} ticks, {self.events} events, {self.decisions} decisions'
        up_to = ''
        if last is not None and last.tick is not list(self.run.ticks)[-1]:
            up_to = f' up to tick {last.tick.number}'
        self.console.print(Text.assemble(f'{counts}{up_to}: ', ('identical', 'bold green')))

    def _prompt(self, moment: Moment) -> bool:
        """Prompts until the next tick is requested; returns False to quit."""
        self._show_if_requested(moment)
        while True:
            command = self._read_command()
            if command is None or command in ('q', 'quit'):
                return False
            if command == 't':
                show_tree(self.console, moment)
            elif command == 's':
                show_state(self.console, moment)
            elif command.isdecimal():
                self._target = Until(number=int(command))
                return True
            elif command:
                self.console.print(HELP)
            else:
                return True

    def _read_command(self) -> str | None:
        if sys.stdin.isatty():
            self.console.print('› ', end='')
        line = sys.stdin.readline()
        return line.strip() if line else None
