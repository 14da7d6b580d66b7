"""Who holds the robot: one client at a time, among all servers on this machine.

Each client that wants it locks one file. The kernel lets go when its process ends, whatever ended
it; the file says who holds it and since when.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import os
from pathlib import Path
import tempfile
import time
from typing import TextIO

from rover_common.process.node_name_lock import holder_of
from rover_common.process.private_folder import open_own_file

IDLE_S = 30.0  # after its last call a client holds the robot so long, if it does not leave
LOOK_S = 1.0  # between two looks whether it does
LONGEST = 200  # characters of a client's name


class Holder:
    """The hold of all clients of one server.

    Args:
        full_name: Of the executive, with its namespace.
        domain: ROS domain id.
        clock: Steady time in s.
    """

    def __init__(
        self, full_name: str, domain: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = f'{domain}.{full_name.strip("/").replace("/", ".")}.mcp'
        self._clock = clock
        self._file: TextIO | None = None
        self._client = ''
        self._calls = 0
        self._idle_since = 0.0
        self._has_left = False

    def acquire(self, client: str, *, is_sure: bool = True) -> str:
        """Takes the robot for a call of a client; empty, or who holds it instead.

        `is_sure`: false if two clients may have this name. The second one then waits until the
        first one's call has ended.
        """
        if self._file is not None and client != self._client:
            if not self._is_idle():
                return self._client
            self._let_go()
        if self._calls and not is_sure:
            return f'{self._client}, which has a call under way'
        if self._file is None:
            file = _open(self._name)
            other = holder_of(file)
            if other:
                file.close()
                return other
            _write(file, client)
            self._file, self._client, self._has_left = file, client, False
        self._calls += 1
        return ''

    def done(self) -> None:
        """One of the calls has ended."""
        self._calls -= 1
        self._idle_since = self._clock()
        if self._has_left and not self._calls:
            self._let_go()

    def leave(self, client: str) -> None:
        """A client's session has ended: it lets go as soon as what it started has ended."""
        if self._file is not None and client == self._client:
            self._has_left = True
            if not self._calls:
                self._let_go()

    async def watch(self) -> None:
        """Lets go of a robot that its client does not use, until this is cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            if self._file is not None and self._is_idle():
                self._let_go()

    def close(self) -> None:
        """The server ends."""
        self._let_go()

    def _is_idle(self) -> bool:
        return self._calls == 0 and self._clock() - self._idle_since >= IDLE_S

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file, self._client, self._has_left = None, '', False


def _open(name: str) -> TextIO:
    folder = Path(tempfile.gettempdir()) / f'bt_executive-{os.getuid()}'
    return os.fdopen(open_own_file(folder, name), 'r+', encoding='utf-8', errors='replace')


def _write(file: TextIO, client: str) -> None:
    text = f'{client:.{LONGEST}} (process {os.getpid()}, since {time.strftime("%H:%M:%S")})'
    file.truncate(0)
    os.pwrite(file.fileno(), text.encode('utf-8', 'replace'), 0)
