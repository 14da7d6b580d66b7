"""The foot of a terminal: the live view, and below it the input line with history and completion.

All other output scrolls above it and stays in the terminal's scrollback. It runs in its own
thread, as `console_input.read_lines` does, and only puts events. Imported only if there is a
terminal for it, as it is not needed for plain lines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
import os
from pathlib import Path
import re
import threading
import time
from typing import TextIO, cast

from prompt_toolkit.application import Application
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.data_structures import Size as TerminalSize
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    CompletionsMenu,
    Dimension,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import AppendAutoSuggestion, BeforeInput
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.widgets import SearchToolbar
from rich.console import Console

from bt_executive.client.front_end_events import ClientEvent, EndOfInput, InputLine, Interrupt
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.console_event_loop_and_queue import ViewStore
from bt_executive.console.live_view_layout import Size, panel, rows_for, to_ansi
from bt_executive.console.scrolling_log_above_prompt import LogFile, Screen
from bt_executive.view.current_presence_events_and_scores import CurrentView
from rover_common.config.settings import Config
from rover_common.process.threads import make_thread
from rover_common.process.user_paths import state_folder
from rover_common.text_sanitizing import incoming_text, one_line

ANSWERS = (':approve', ':edit', ':reject')


def suggestions(line: str, vocabulary: Vocabulary, view: CurrentView) -> Iterator[Completion]:
    """Yield the completions of a line, which ends at the cursor."""
    text = incoming_text(f'{line}|')[:-1]  # the bar keeps a blank before the cursor
    command, *arguments = re.split(r'\s+', text, maxsplit=1)
    if arguments:
        prefix = arguments[0]
        choices = _argument_choices(command, vocabulary, view)
    elif text.startswith(':'):
        choices = {name: entry.description for name, entry in vocabulary.commands.items()}
        prefix = text
    else:
        choices, prefix = (vocabulary.templates if text else {}), text
    for choice, description in choices.items():
        if choice.startswith(prefix) and choice != prefix:
            yield Completion(choice, -len(prefix), display_meta=description)


def _argument_choices(
    command: str, vocabulary: Vocabulary, view: CurrentView
) -> Mapping[str, str]:
    if command in ANSWERS:
        return {
            str(request.get('id')): one_line(str(request.get('tool'))) for request in view.requests
        }
    if command == ':tool':
        return {name: skill.description for name, skill in vocabulary.tools.items()}
    return {}


PROMPT = '› '
REFRESH_S = 0.25  # between two drawings of the view; keys and log lines draw it, too
MENU_ROWS = 8
LINE_ROWS = 4  # of a long line at most
# How long start and end wait for the prompt's thread. A program that ends before it leaves the
# terminal without echo; on a busy machine 2 s were too few. Only a terminal that blocks its output
# (Ctrl-S) takes so long.
THREAD_TIMEOUT_S = 20.0

Draw = Callable[[int, int], str]  # columns and rows of the terminal → the view with its styles
Suggest = Callable[[str], Iterable[Completion]]  # the line up to the cursor → what fits


class Prompt:
    """Owns the foot of the terminal from `start` to `close`.

    Args:
        put: Is called with lines, the end of input and interrupts, in the prompt's thread.
        draw: Draws the view; called regularly in the prompt's thread.
        suggest: Completes a line.
        history: The lines of earlier consoles.
        colours: Whether the terminal shows colours.
        screen: The terminal.

    Attributes:
        log: A file whose lines scroll above the view.
    """

    def __init__(
        self,
        put: Callable[[ClientEvent], None],
        draw: Draw,
        suggest: Suggest,
        history: History,
        colours: bool,
        screen: Screen,
    ) -> None:
        self._put = put
        self._draw = draw
        self._suggest = suggest
        self._over = False
        self._size: TerminalSize | None = None
        self._buffer = Buffer(
            name='line',
            multiline=False,
            history=history,
            completer=_Completions(suggest),
            complete_while_typing=Condition(lambda: self._buffer.text.startswith((':', '：'))),
            auto_suggest=AutoSuggestFromHistory(),
            accept_handler=self._accept,
            read_only=Condition(lambda: self._over),
        )
        self._app: Application[None] = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            color_depth=None if colours else ColorDepth.DEPTH_1_BIT,
            erase_when_done=True,
            refresh_interval=REFRESH_S,
            terminal_size_polling_interval=None,  # `_update_size` does it
            before_render=self._update_size,
            output=screen,
        )
        self.log = LogFile(screen)
        self._runs = threading.Event()
        self._thread = make_thread(self._run, 'prompt', lambda _fault: self._put(EndOfInput()))

    def start(self) -> None:
        """Starts to draw the foot of the terminal."""
        self._thread.start()
        self._runs.wait(THREAD_TIMEOUT_S)

    def close(self) -> None:
        """Restores the terminal. May be called twice."""
        loop = self._app.loop
        if self._thread.is_alive() and loop is not None:
            loop.call_soon_threadsafe(self._exit)
            self._thread.join(THREAD_TIMEOUT_S)

    def _run(self) -> None:
        try:
            self._app.run(
                pre_run=self._handle_start, handle_sigint=False, set_exception_handler=False
            )
        except (EOFError, OSError):  # the terminal is gone: there is no more input
            self._put(EndOfInput())
        finally:
            self.log.end()
            self._runs.set()  # also if it could not start

    def _handle_start(self) -> None:
        self.log.begin(self._app, asyncio.get_running_loop())
        self._runs.set()

    def _exit(self) -> None:
        if self._app.is_running:
            self._app.exit()

    def _accept(self, buffer: Buffer) -> bool:
        self._put(InputLine(buffer.text))
        return False  # the line is removed, and kept in the history

    def _layout(self) -> Layout:
        rows = Dimension(min=1, max=LINE_ROWS)
        search = SearchToolbar(ignore_case=True)  # Ctrl-R
        line = Window(
            BufferControl(
                self._buffer,
                search_buffer_control=search.control,
                input_processors=[BeforeInput(self._before_line, 'bold'), AppendAutoSuggestion()],
            ),
            height=rows,
            dont_extend_height=True,
            wrap_lines=True,
        )
        view = Window(FormattedTextControl(self._view), dont_extend_height=True)
        menu = Float(CompletionsMenu(max_height=MENU_ROWS), xcursor=True, ycursor=True)
        return Layout(FloatContainer(HSplit([view, search, line]), [menu]), focused_element=line)

    def _update_size(self, app: Application[None]) -> None:
        previous, self._size = self._size, app.output.get_size()
        if previous not in (None, self._size):
            self.log.repaint(app, self._size.rows)

    def _view(self) -> ANSI:
        size = self._app.output.get_size()
        return ANSI(self._draw(size.columns, size.rows))

    def _before_line(self) -> str:
        return 'no more input; Ctrl-C stops the robot ' if self._over else PROMPT

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add('c-c')
        def _interrupt(_event: KeyPressEvent) -> None:
            self._put(Interrupt())

        @keys.add('c-d', filter=Condition(lambda: not self._buffer.text))
        def _end(_event: KeyPressEvent) -> None:
            self._over = True
            self._put(EndOfInput())

        @keys.add('tab')
        def _complete(event: KeyPressEvent) -> None:
            """Inserts the only suggestion at once; several are offered in a menu."""
            buffer = event.current_buffer
            choices = list(self._suggest(buffer.document.text_before_cursor))
            if len(choices) == 1:
                buffer.apply_completion(choices[0])
            elif buffer.complete_state:
                buffer.complete_next()
            else:
                buffer.start_completion(insert_common_part=True)

        @keys.add(Keys.BracketedPaste)
        def _paste(event: KeyPressEvent) -> None:
            """Joins pasted lines, so that nothing is sent before the operator presses Enter."""
            event.current_buffer.insert_text(re.sub('[\r\n\t]+', ' ', event.data))

        return keys


class _Completions(Completer):
    """Completes a line by a function."""

    def __init__(self, suggest: Suggest) -> None:
        self._suggest = suggest

    def get_completions(
        self, document: Document, _complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        return self._suggest(document.text_before_cursor)


def open_history(environment: Mapping[str, str]) -> History:
    """Open the history of this user; in memory if the file cannot be written."""
    path = history_file(environment)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    except OSError:
        return InMemoryHistory()
    return _ForgivingHistory(path)


class _ForgivingHistory(FileHistory):
    """A history that drops a line that cannot be written, as on a full disk."""

    def store_string(self, string: str) -> None:
        """Appends a line to the file, if possible."""
        with suppress(OSError):
            super().store_string(string)


def history_file(environment: Mapping[str, str]) -> Path:
    """Return $XDG_STATE_HOME/bt_executive/history; a relative value of it is ignored."""
    return state_folder(environment) / 'history'


class Terminal:
    """The live view at the foot of the terminal, and a console of rich that prints above it.

    Args:
        vocabulary: The commands, for completion.
        put: Is called with the operator's events.
        environment: Variables for the folder of the history and for colours (NO_COLOR).
        config: For the map.

    Attributes:
        store: The view that is shown.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        put: Callable[[ClientEvent], None],
        environment: Mapping[str, str],
        config: Config | None = None,
    ) -> None:
        self._colours = not environment.get('NO_COLOR')
        self._prompt = Prompt(
            put,
            self._draw,
            lambda line: suggestions(line, vocabulary, self.store.run.current),
            open_history(environment),
            self._colours,
            Screen.of_stdout(),
        )
        self.store = ViewStore(time.monotonic, config)
        self.console = Console(file=cast(TextIO, self._prompt.log), highlight=False)
        self.start, self.close = self._prompt.start, self._prompt.close

    def _draw(self, columns: int, terminal_rows: int) -> str:
        size = Size(columns, rows_for(terminal_rows) if self.store.whole else 1)
        return to_ansi(panel(self.store.run, size, time.monotonic()), columns, self._colours)
