"""What the model is saying right now: one passing line at the foot of a terminal.

It goes as soon as the message is whole; what the model said stays as a line of the trace. Into a
pipe nothing passing is written.
"""

from __future__ import annotations

from rich.console import Console
from rich.live import Live
from rich.text import Text

from rover_common.printable import printable

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
