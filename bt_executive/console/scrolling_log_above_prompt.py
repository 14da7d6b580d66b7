"""A log that scrolls above an application of prompt_toolkit.

prompt_toolkit's `patch_stdout` erases the application, prints, and draws it again in several
writes, and the terminal echoes keys meanwhile. Here each change of the screen is one write, so
that nothing flickers and Ctrl-C remains a key.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
import io
import sys
import threading
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.output.vt100 import Vt100_Output

BUNDLE_S = 0.05  # lines within this time are written together
LINES_KEPT = 200  # to repaint a terminal whose size has changed


class Screen(Vt100_Output):
    """The terminal; the output of a change can be buffered until it is complete."""

    _held = False

    @classmethod
    def of_stdout(cls) -> Screen:
        """Return the one of standard output, without requests for the cursor's position."""
        screen = cls.from_pty(sys.stdout)
        assert isinstance(screen, cls)
        screen.enable_cpr = False
        return screen

    def flush(self) -> None:
        """Writes the buffer, unless it is held back."""
        if not self._held:
            super().flush()

    @contextmanager
    def one_write(self) -> Iterator[None]:
        """Buffers the output of the block and writes it at its end."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self.flush()


class LogFile(io.TextIOBase):
    """A file whose lines scroll above the application, or are printed if none runs."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._lock = threading.Lock()
        self._text = ''
        self._latest: deque[str] = deque(maxlen=LINES_KEPT)
        self._app: Application[Any] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self, app: Application[Any], loop: asyncio.AbstractEventLoop) -> None:
        """Attaches the application, which runs in `loop`."""
        with self._lock:
            self._app, self._loop = app, loop

    def end(self) -> None:
        """Detaches the application, which has ended, and prints the remaining text."""
        with self._lock:
            self._app = self._loop = None
            self._print()

    def write(self, text: str) -> int:
        """Appends text, from any thread; complete lines are shown soon."""
        with self._lock:
            idle = '\n' not in self._text
            self._text += text
            if self._loop is None:
                self._print()
            elif idle and '\n' in text:
                self._loop.call_soon_threadsafe(self._loop.call_later, BUNDLE_S, self._scroll)
        return len(text)

    def repaint(self, app: Application[Any], rows: int) -> None:
        """Clears the screen and writes the latest lines again; in the application's loop.

        A terminal that was made narrower has wrapped its lines, so that the position of the
        application's rows is unknown.
        """
        with self._screen.one_write():
            app.renderer.clear()
            self._screen.enable_autowrap()
            self._screen.write_raw(''.join(f'{line}\n' for line in [*self._latest][-rows:]))

    def isatty(self) -> bool:
        """Returns True."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]  # TextIOBase has an attribute
        """The encoding of the terminal."""
        return self._screen.encoding()

    def _scroll(self) -> None:
        """Writes the complete lines above the application; in its loop."""
        with self._lock:
            app = self._app
            if app is None or app.is_done or not app.is_running:  # `end` prints it, not the view
                return
            lines, newline, self._text = self._text.rpartition('\n')
            self._latest.extend(lines.split('\n'))
        with self._screen.one_write():
            app.renderer.erase()
            self._screen.enable_autowrap()
            self._screen.write_raw(lines + newline)
            app.renderer.render(app, app.layout)

    def _print(self) -> None:
        self._latest.extend(self._text.splitlines())
        self._screen.write_raw(self._text)
        self._screen.flush()
        self._text = ''
