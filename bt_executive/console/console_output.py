"""The console's output: lines of text, with colours at a terminal only (NO_COLOR is respected).

At a terminal long lines are wrapped below their text, with the width of wide characters. Into a
pipe every event is one line, so that it can be searched. Untrusted text is made printable first.

At a terminal the model's output is streamed into a transient line, which is removed as soon as
the message is complete and printed as a line of the trace. Into a pipe no transient line is
written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import io
import re
from typing import Any

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from bt_executive.client.front_end_events import GoalEnded
from bt_executive.client.front_end_requests import ShowPage
from bt_executive.client.state_and_approval_text import format_model_usage
from bt_executive.console.log_line import LogLine, log_line
from bt_executive.view.run_clock import RunClock
from rover_common.text_sanitizing import one_line, printable
from rover_common.trace_event import TraceEvent


def summary_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return title and text of each row; a value that was not measured is a dash."""

    def number(key: str, format_spec: str) -> str:
        value = summary.get(key)
        return '–' if value is None else format(value, format_spec)

    return [
        ('Goal', str(summary.get('goal', '–'))),
        ('Outcome', str(summary.get('outcome', '–')).replace('_', ' ')),
        ('Answer', str(summary.get('answer', '–'))),
        ('Steps', f'{number("steps", ".0f")}, of which refused: {number("refusals", ".0f")}'),
        ('Distance', f'{number("distance_m", ".2f")} m'),
        (
            'Score',
            f'{number("first_score", ".2f")} at first, {number("last_score", ".2f")} at last',
        ),
        ('Wall time', f'{number("wall_s", ".1f")} s'),
        *_model_row(summary.get('model') or {}),
    ]


def _model_row(usage: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the row of the model's usage, if its provider reports it."""
    if not usage.get('input_tokens'):
        return []
    return [('Model', format_model_usage(usage))]


# How py_trees marks a status, and its colour here.
MARKS = {'✓': 'green', '✕': 'yellow', '*': 'bold cyan', '-': 'dim'}
STATUS = re.compile(r'\[([✓✕*-])\](?= --|$)')
LEFT_OUT = '… {} more rows: not reached, or without a message'
# The lines that are left out first: not reached (its message is of an earlier tick), then failed
# without a message, then succeeded.
EXPENDABLE = tuple(
    re.compile(pattern) for pattern in (r'\[-\](?= --|$)', r'\[✕\]( -- (no)?)?$', r'\[✓\]')
)


def in_colours(text: str, rows: int) -> list[Text]:
    """Return at most `rows` lines of a tree, the most informative ones."""
    lines = text.splitlines()
    kept = _fold(lines, rows)
    left_out = len(lines) - len(kept)
    note = [Text(LEFT_OUT.format(left_out), 'dim')] if left_out else []
    return [*map(_coloured, kept), *note]


def _fold(lines: list[str], rows: int) -> list[str]:
    """Return all lines, or one less than `rows`, for the row with the number left out."""
    if len(lines) <= rows:
        return lines
    expendable = sorted(
        (rank, -_depth(line), -number)
        for number, line in enumerate(lines)
        if (rank := _rank(line)) is not None
    )
    dropped = {-number for *_, number in expendable[: len(lines) - (rows - 1)]}
    lines = [line for number, line in enumerate(lines) if number not in dropped]
    return lines[: max(rows - 1, 0)]


def _rank(line: str) -> int | None:
    """Return the order in which a line is left out, the smallest first; None: never."""
    ranks = (rank for rank, pattern in enumerate(EXPENDABLE) if pattern.search(line))
    return next(ranks, None)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _coloured(line: str) -> Text:
    status = STATUS.search(line)
    text = Text(line)
    if status:
        text.stylize(MARKS[status[1]], *status.span())
        if status[1] == '*':
            text.stylize('bold', 0, status.start())
        if status[1] == '-':
            text.stylize('dim')
        text.stylize('dim', status.end())
    return text


TAIL_CHARS = 400  # of the message that is streamed
STYLES = {'text': 'italic', 'reasoning': 'dim italic', 'call': 'cyan'}


class StreamedLine:
    """The transient line of the model's output. `enabled`: at a terminal it is shown."""

    def __init__(self, console: Console, enabled: bool) -> None:
        self._console = console
        self._enabled = enabled and console.is_terminal
        self._live: Live | None = None
        self._text = Text()

    def show_streamed_text(self, kind: str, text: str) -> None:
        """Appends a piece: text, reasoning or call; `end` removes the line."""
        if not self._enabled:
            return
        if kind == 'end':
            self.wipe()
            return
        self._text.append(printable(text).replace('\n', ' '), STYLES.get(kind, ''))
        self._text = self._text[-TAIL_CHARS:]
        if self._live is None:
            self._live = Live(console=self._console, transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(Text.assemble(('… ', 'dim'), self._tail()), refresh=True)

    def _tail(self) -> Text:
        """Returns the end of the text that fits into the line."""
        room = max(2, self._console.width - 4)
        tail = self._text[-room:]
        while tail.cell_len > room:
            tail = tail[1:]
        return tail

    def wipe(self) -> None:
        """Removes the line."""
        self._text = Text()
        if self._live is not None:
            self._live.stop()
            self._live = None


LABEL_CELLS = 8
PIPE_CELLS = 4000
GOAL_CELLS = 60  # of a goal's text in the line of its end
VERBOSE = 'executive.agent.verbose'  # the parameter's name in the trace
BESIDE_TREE = 4  # rows of a terminal that the tree leaves free
OUTCOME_STYLES = {
    'reached': 'bold green',
    'answered': 'bold green',
    'claimed': 'bold yellow',
    'gave_up': 'bold yellow',
    'interrupted': 'bold yellow',
}


class Display:
    """Prints to a console of rich.

    Args:
        console: Of rich.
        clock: Of the run; every line starts with the time of its event in the run, in s.
        page: Makes the page of a `ShowPage`.
        live: Whether the model's output is streamed at a terminal.
        verbose: Whether the model's reasoning is shown, until the parameter is changed.
    """

    def __init__(
        self,
        console: Console,
        clock: RunClock,
        page: Callable[[ShowPage], RenderableType],
        live: bool = True,
        verbose: bool = True,
    ) -> None:
        self._console = console
        self._clock = clock
        self._page = page
        self._last_text = ''  # of the latest reasoning or result
        self._verbose = verbose
        self._live = StreamedLine(console, live)

    def show_streamed_text(self, kind: str, text: str) -> None:
        """Shows a piece of the model's output."""
        self._live.show_streamed_text(kind, text)

    def trace(self, event: TraceEvent) -> None:
        """Shows a trace event, and applies a change of the parameter `VERBOSE`."""
        parameters = (event.data or {}).get('parameters')
        if isinstance(parameters, Mapping) and isinstance(parameters.get(VERBOSE), bool):
            self._verbose = parameters[VERBOSE]
        if event.kind == 'HYPOTHESIZE':
            if not self._verbose:
                return
            self._last_text = event.message
        elif event.kind == 'RESULT' and event.tool_name:
            self._last_text = event.message.removeprefix(f'{event.tool_name}: ')
        self._line(log_line(event), event.ts)

    def echo(self, line: str) -> None:
        """Shows a typed line, where the terminal does not keep it."""
        self._line(LogLine('you', line, 'bold'))

    def info(self, text: str) -> None:
        """Shows a message of the console."""
        self._line(LogLine('console', text, 'dim'))

    def error(self, text: str) -> None:
        """Shows an error message of the console."""
        self._line(LogLine('console', text, 'red'))

    def show_reply(self, text: str) -> None:
        """Shows a reply: a sentence, or several lines as they are."""
        if '\n' not in text:
            self._line(LogLine('answer', text))
            return
        self._console.print(Text(printable(text)), soft_wrap=True)

    def show_tree(self, text: str) -> None:
        """Shows the behavior tree: at a terminal in colours and folded into its rows."""
        if not self._console.is_terminal:
            self.show_reply(text)
            return
        for line in in_colours(printable(text), max(self._console.height - BESIDE_TREE, 5)):
            line.truncate(self._console.width, overflow='ellipsis')
            self._console.print(line, soft_wrap=True)

    def show_page(self, request: ShowPage) -> None:
        """Shows a page of the console; into a pipe its lines are not wrapped."""
        page = self._page(request)
        if self._console.is_terminal:
            self._console.print(page)
            return
        wide = Console(width=PIPE_CELLS, file=io.StringIO(), highlight=False)
        with wide.capture() as captured:
            wide.print(page)
        for line in captured.get().splitlines():
            self._console.print(Text(line.rstrip()), soft_wrap=True)

    def show_help(self, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        """Shows the commands with their descriptions, grouped by use."""
        table = Table.grid(padding=(0, 2))
        for title, rows in groups:
            table.add_row(Text(title, 'underline'))
            for command, description in rows:
                table.add_row(Text(f'  {command}', 'bold'), Text(description))
        table.add_row(Text('anything else', 'italic'), Text('is a goal for the robot'))
        self._console.print(table)

    def show_end(self, end: GoalEnded, goal: str = '') -> None:
        """Shows the end of a goal, without an answer that was printed last.

        `goal`: its text, to distinguish it from other goals; empty: there are none.
        """
        style = OUTCOME_STYLES.get(end.outcome, 'bold red')
        answer = '' if end.answer == self._last_text else f': {end.answer}'
        quoted_goal = f' “{goal:.{GOAL_CELLS}}”' if goal else ''
        text = f'{end.outcome.replace("_", " ")}{quoted_goal}{answer}'
        self._line(LogLine('ends', text, style), end.ts)

    def show_summary(self, summary: Mapping[str, Any]) -> None:
        """Shows the table at the end of the demo. `summary`: has the keys of summary.json."""
        table = Table.grid(padding=(0, 2))
        table.add_column(style='bold', no_wrap=True)
        table.add_column(overflow='fold')
        for title, value in summary_rows(summary):
            table.add_row(title, Text(printable(value)))
        self._console.print()
        self._console.print(table)

    def _line(self, line: LogLine, ts: float | None = None) -> None:
        """Prints a line. `ts`: ROS time of its event in s; None: now."""
        prefix = f'{self._clock.seconds(ts):6.1f}s  {line.label:<{LABEL_CELLS}} '
        text = Text(one_line(line.text), line.style)
        width = self._console.width - cell_len(prefix)
        if not self._console.is_terminal or width < LABEL_CELLS:
            self._console.print(Text(prefix) + text, soft_wrap=True)
            return
        for number, row in enumerate(text.wrap(self._console, width)):
            lead = prefix if number == 0 else ' ' * cell_len(prefix)
            self._console.print(Text.assemble((lead, 'dim'), row), soft_wrap=True)
