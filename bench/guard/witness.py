"""Watches what this process asks of the operating system while a case is played (PEP 578).

A process that is started, or a file that is written outside of the folders for temporary files,
is what a payload would do that a shell, YAML or a path has read. No rule of the product is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
import os
import sys
import tempfile
from typing import Any

from rover_common.process.user_paths import user_cache

STARTS = ('subprocess.Popen', 'os.system', 'os.exec', 'os.posix_spawn', 'os.fork', 'os.forkpty')
OF_PLATFORM = 'uname'  # Python's own `platform.processor`, which a client's headers need
WRITES = ('w', 'a', 'x', '+')
OURS = 'guard-'  # how the temporary folders of cases begin


class Witness:
    """Notes network requests since the process began."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        # Found out now: the hook must ask nobody who may be holding a lock at that moment.
        temporary = os.path.realpath(tempfile.gettempdir())
        encoder = os.path.realpath(user_cache(os.environ) / 'encoder')
        self._own = os.path.join(temporary, OURS), os.path.join(encoder, '')
        sys.addaudithook(self._hook)  # cannot be taken away again

    def mark(self) -> int:
        """Where `since` is to begin."""
        return len(self._seen)

    def since(self, mark: int) -> Iterator[str]:
        """The requests since then."""
        yield from self._seen[mark:]

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        what = arguments[0] if arguments else ''  # a fork has none
        if event in STARTS and what != OF_PLATFORM:
            self._seen.append(f'{event} {what!r:.80}')
        elif event == 'open' and _writes(arguments):
            path = str(arguments[0])
            if not self._is_of_project(path):
                self._seen.append(f'{path!r:.80} was opened for writing')

    def _is_of_project(self, path: str) -> bool:
        """Whether a case may write it: its own store, what Python compiles, no file at all.

        So may the first case on a machine what the sentence encoder unpacks (decision 0152).
        """
        if path.isdecimal() or '__pycache__' in path or path in ('/dev/null', '/dev/tty'):
            return True
        return os.path.realpath(path).startswith(self._own)


def _writes(arguments: tuple[Any, ...]) -> bool:
    _path, mode, flags = arguments
    if mode is None:
        return bool((flags or 0) & (os.O_WRONLY | os.O_RDWR))
    return any(each in str(mode) for each in WRITES)


@cache
def witness() -> Witness:
    """The witness of this process."""
    return Witness()
