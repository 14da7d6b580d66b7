"""A terminal without a window: runs a command in it, types, and reads what is on its screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import fcntl
import os
import struct
import termios
import threading

import pyte
from waiting import wait_until
from warm import WarmPopen

KEYS = {
    'tab': '\t',
    'enter': '\r',
    'up': '\x1b[A',
    'ctrl-c': '\x03',
    'ctrl-d': '\x04',
    'ctrl-r': '\x12',
}
LOOK_S = 0.02  # between two looks at the screen
LIMIT_S = 120.0  # says nothing of the command: the whole system may be behind it
END = b'\0'  # shows nothing


class PseudoTerminal:
    """A command in a terminal of its own.

    Attributes:
        written: All bytes that the command has written.
    """

    def __init__(
        self, command: Sequence[str], columns: int, rows: int, environment: Mapping[str, str]
    ) -> None:
        self._keyboard, self._terminal = os.openpty()
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self.written = b''
        self._shown: list[str] | None = None  # the lines, until something is written
        self._set_size(columns, rows)
        self._modes = termios.tcgetattr(self._terminal)
        self.process = WarmPopen(
            command,
            stdin=self._terminal,
            stdout=self._terminal,
            stderr=self._terminal,
            env={**environment, 'TERM': environment.get('TERM', 'xterm-256color')},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def type(self, text: str) -> None:
        """Types text; `<tab>` and the other KEYS are keys."""
        for name, key in KEYS.items():
            text = text.replace(f'<{name}>', key)
        os.write(self._keyboard, text.encode())

    def paste(self, text: str) -> None:
        """Pastes, as terminals do for programs that ask for it."""
        os.write(self._keyboard, f'\x1b[200~{text}\x1b[201~'.encode())

    def lines(self) -> list[str]:
        """What is on the screen, without blanks at the ends of its lines."""
        with self._lock:
            if self._shown is None:
                self._shown = [line.rstrip() for line in self._screen.display]
            return self._shown

    def text(self) -> str:
        """The same as one text."""
        return '\n'.join(self.lines())

    def wait_for(self, words: str, seconds: float = LIMIT_S) -> None:
        """Waits until words are on the screen."""
        self._wait(lambda: words in self.text(), repr(words), seconds)

    def wait_until_once(self, words: str) -> None:
        """Waits until words stand once on the screen: it is drawn piece by piece."""
        self._wait_for_count(words, 1)

    def wait_until_gone(self, words: str) -> None:
        """Waits until words are on the screen no more."""
        self._wait_for_count(words, 0)

    def resize(self, columns: int, rows: int) -> None:
        """Another size; a command that does not ask now and then is not told."""
        with self._lock:
            self._screen.resize(rows, columns)
            self._shown = None
        self._set_size(columns, rows)

    def finish(self) -> int:
        """Waits for the end of the command and for all that it wrote; returns its exit code."""
        code = self.process.wait(timeout=LIMIT_S)
        os.write(self._terminal, END)
        wait_until(lambda: self.written.endswith(END), 'all that was written is read')
        return code

    def left_behind(self) -> dict[str, object]:
        """What the command has left otherwise than it found it: cursor, colour, modes."""
        modes = termios.tcgetattr(self._terminal)
        with self._lock:
            cursor = self._screen.cursor
            found = {
                'cursor': 'hidden' if cursor.hidden else '',
                'colour': '' if cursor.attrs.fg == 'default' else cursor.attrs.fg,
                'modes': '' if modes == self._modes else (modes, self._modes),
            }
        return {what: how for what, how in found.items() if how}

    def close(self) -> None:
        """Ends everything."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._terminal)
        self._reader.join(2.0)
        os.close(self._keyboard)

    def _wait_for_count(self, words: str, count: int) -> None:
        self._wait(lambda: self.text().count(words) == count, f'{count} of {words!r}')

    def _wait(self, seen: Callable[[], bool], what: str, seconds: float = LIMIT_S) -> None:
        wait_until(seen, lambda: f'{what} in:\n{self.text()}', seconds, LOOK_S)

    def _set_size(self, columns: int, rows: int) -> None:
        size = struct.pack('HHHH', rows, columns, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)

    def _read(self) -> None:
        while True:
            try:
                chunk = os.read(self._keyboard, 65536)
            except OSError:
                return
            with self._lock:
                self.written += chunk
                self._stream.feed(chunk)
                self._shown = None
