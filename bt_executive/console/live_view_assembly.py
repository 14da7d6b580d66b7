"""The live view: the store of the view, its drawing, and the prompt below it.

Imported only if there is a terminal for it, as it is not needed for plain lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import time
from typing import TextIO, cast

from rich.console import Console

from bt_executive.client.front_end_events import ClientEvent
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.console_loop import ViewStore
from bt_executive.console.live_view_layout import Size, panel, rows_for, to_ansi
from bt_executive.console.prompt_line import Prompt, open_history, suggestions
from bt_executive.console.scrolling_log_above_prompt import Screen
from rover_common.config.settings import Config


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
