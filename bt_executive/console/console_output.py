"""The screen: plain readable lines, with colours at a terminal only (NO_COLOR is respected).

At a terminal long lines are wrapped below their text, wide characters counted as wide. Into a
pipe every event is one line, so that it can be searched. Text of others is made printable first.

It goes as soon as the message is whole; what the model said stays as a line of the trace. Into a
pipe nothing passing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import io
from typing import Any

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from bt_executive.client.front_end_events import GoalEnded
from bt_executive.client.front_end_requests import ShowPage
from bt_executive.console.goal_summary import summary_rows
from bt_executive.console.log_line import LogLine, log_line
from bt_executive.console.tree_lines import in_colours
from bt_executive.view.run_clock import RunClock
from rover_common.printable import one_line, printable
from rover_common.trace_event import TraceEvent

KEPT = 400  # characters of the message's end
STYLES = {'text': 'italic', 'reasoning': 'dim italic', 'call': 'cyan'}


class LiveWords:
    """The passing line. `shown`: whether there is to be one at all."""

    def __init__(self, console: Console, shown: bool) -> None:
        self._console = console
        self._shown = shown and console.is_terminal
        self._live: Live | None = None
        self._text = Text()

    def show_piece(self, kind: str, words: str) -> None:
        """Takes a piece: text, reasoning or call; `end` wipes the line."""
        if not self._shown:
            return
        if kind == 'end':
            self.wipe()
            return
        self._text.append(printable(words).replace('\n', ' '), STYLES.get(kind, ''))
        self._text = self._text[-KEPT:]
        if self._live is None:
            self._live = Live(console=self._console, transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(Text.assemble(('… ', 'dim'), self._tail()), refresh=True)

    def _tail(self) -> Text:
        """As much of the end as fits into the line."""
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
GOAL_CELLS = 60  # of a goal's words in the line of its end
VERBOSE = 'executive.agent.verbose'  # the parameter, as the trace names it
BESIDE_TREE = 4  # rows of a terminal that the tree leaves free
OUTCOME_STYLES = {
    'reached': 'bold green',
    'answered': 'bold green',
    'claimed': 'bold yellow',
    'gave_up': 'bold yellow',
    'interrupted': 'bold yellow',
}


class Display:
    """Writes to one rich console.

    Args:
        console: Where to.
        clock: Of the run; every line starts with its seconds, that of an event with the event's.
        page: What a `Look` shows.
        live: Whether a terminal shows what the model is saying while it says it.
        verbose: Whether what the model thinks is shown, until the parameter is changed.
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
        self._said = ''  # the latest thought or result
        self._verbose = verbose
        self._live = LiveWords(console, live)

    def show_piece(self, kind: str, words: str) -> None:
        """Shows a piece of what the model is saying."""
        self._live.show_piece(kind, words)

    def trace(self, event: TraceEvent) -> None:
        """Shows one trace event, and does what a changed parameter says of what is shown."""
        parameters = (event.data or {}).get('parameters')
        if isinstance(parameters, Mapping) and isinstance(parameters.get(VERBOSE), bool):
            self._verbose = parameters[VERBOSE]
        if event.kind == 'HYPOTHESIZE':
            if not self._verbose:
                return
            self._said = event.message
        elif event.kind == 'RESULT' and event.tool_name:
            self._said = event.message.removeprefix(f'{event.tool_name}: ')
        self._line(log_line(event), event.ts)

    def echo(self, line: str) -> None:
        """What the operator typed, where the terminal does not keep it."""
        self._line(LogLine('you', line, 'bold'))

    def say(self, text: str) -> None:
        """A sentence of the console itself."""
        self._line(LogLine('console', text, 'dim'))

    def complain(self, text: str) -> None:
        """A sentence about something that went wrong."""
        self._line(LogLine('console', text, 'red'))

    def show(self, text: str) -> None:
        """An answer: a sentence, or several lines as they are."""
        if '\n' not in text:
            self._line(LogLine('answer', text))
            return
        self._console.print(Text(printable(text)), soft_wrap=True)

    def show_tree(self, text: str) -> None:
        """The behavior tree: at a terminal in colours, with no more rows than it has."""
        if not self._console.is_terminal:
            self.show(text)
            return
        for line in in_colours(printable(text), max(self._console.height - BESIDE_TREE, 5)):
            line.truncate(self._console.width, overflow='ellipsis')
            self._console.print(line, soft_wrap=True)

    def show_page(self, look: ShowPage) -> None:
        """What the console knows by itself; into a pipe, too, a line is not folded."""
        page = self._page(look)
        if self._console.is_terminal:
            self._console.print(page)
            return
        wide = Console(width=PIPE_CELLS, file=io.StringIO(), highlight=False)
        with wide.capture() as captured:
            wide.print(page)
        for line in captured.get().splitlines():
            self._console.print(Text(line.rstrip()), soft_wrap=True)

    def show_help(self, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        """The commands and what they do, by use."""
        table = Table.grid(padding=(0, 2))
        for title, rows in groups:
            table.add_row(Text(title, 'underline'))
            for word, does in rows:
                table.add_row(Text(f'  {word}', 'bold'), Text(does))
        table.add_row(Text('anything else', 'italic'), Text('is a goal for the robot'))
        self._console.print(table)

    def show_end(self, end: GoalEnded, goal: str = '') -> None:
        """How a goal ended; an answer that is on the screen already is not repeated.

        `goal`: its words; empty: there is no other that it could be.
        """
        style = OUTCOME_STYLES.get(end.outcome, 'bold red')
        answer = '' if end.answer == self._said else f': {end.answer}'
        whose = f' “{goal:.{GOAL_CELLS}}”' if goal else ''
        words = f'{end.outcome.replace("_", " ")}{whose}{answer}'
        self._line(LogLine('ends', words, style), end.ts)

    def show_summary(self, summary: Mapping[str, Any]) -> None:
        """The table at the end of the demo. `summary` has the keys of summary.json."""
        table = Table.grid(padding=(0, 2))
        table.add_column(style='bold', no_wrap=True)
        table.add_column(overflow='fold')
        for title, value in summary_rows(summary):
            table.add_row(title, Text(printable(value)))
        self._console.print()
        self._console.print(table)

    def _line(self, said: LogLine, ts: float | None = None) -> None:
        """Writes a line of what happened at `ts`, in ROS s, or now."""
        prefix = f'{self._clock.seconds(ts):6.1f}s  {said.label:<{LABEL_CELLS}} '
        words = Text(one_line(said.text), said.style)
        width = self._console.width - cell_len(prefix)
        if not self._console.is_terminal or width < LABEL_CELLS:
            self._console.print(Text(prefix) + words, soft_wrap=True)
            return
        for number, part in enumerate(words.wrap(self._console, width)):
            lead = prefix if number == 0 else ' ' * cell_len(prefix)
            self._console.print(Text.assemble((lead, 'dim'), part), soft_wrap=True)
