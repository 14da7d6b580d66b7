"""The lock of a robot: one client holds it at a time, among all servers on this machine.

It is a lock on a file, which the kernel releases when the process ends, however it ends; the file
contains who holds it and since when.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import os
from pathlib import Path
import tempfile
import time
from typing import TextIO

from rover_common.process.node_name_lock import holder_of, open_own_file

IDLE_S = 30.0  # how long a client holds the robot after its last call, if its session goes on
CHECK_S = 1.0  # between two checks of that time
LONGEST = 200  # characters of a client's name


class RobotLock:
    """The lock of one robot, for all clients of one server.

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
        self._session_ended = False

    def acquire(self, client: str, *, is_unique: bool = True) -> str:
        """Acquires the robot for a call of a client; returns its other holder, or empty.

        `is_unique`: false if two clients may have this name. A call of either then waits until
        the other one's has ended.
        """
        if self._file is not None and client != self._client:
            if not self._is_idle():
                return self._client
            self._release()
        if self._calls and not is_unique:
            return f'{self._client}, which has a call under way'
        if self._file is None:
            file = _open(self._name)
            other = holder_of(file)
            if other:
                file.close()
                return other
            _write(file, client)
            self._file, self._client, self._session_ended = file, client, False
        self._calls += 1
        return ''

    def end_call(self) -> None:
        """Ends one of the calls."""
        self._calls -= 1
        self._idle_since = self._clock()
        if self._session_ended and not self._calls:
            self._release()

    def end_session(self, client: str) -> None:
        """Ends a client's session; the lock is released once its calls have ended."""
        if self._file is not None and client == self._client:
            self._session_ended = True
            if not self._calls:
                self._release()

    async def watch(self) -> None:
        """Releases the robot when its client is idle, until this is cancelled."""
        while True:
            await asyncio.sleep(CHECK_S)
            if self._file is not None and self._is_idle():
                self._release()

    def close(self) -> None:
        """Releases the robot."""
        self._release()

    def _is_idle(self) -> bool:
        return self._calls == 0 and self._clock() - self._idle_since >= IDLE_S

    def _release(self) -> None:
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file, self._client, self._session_ended = None, '', False


def _open(name: str) -> TextIO:
    folder = Path(tempfile.gettempdir()) / f'bt_executive-{os.getuid()}'
    return os.fdopen(open_own_file(folder, name), 'r+', encoding='utf-8', errors='replace')


def _write(file: TextIO, client: str) -> None:
    text = f'{client:.{LONGEST}} (process {os.getpid()}, since {time.strftime("%H:%M:%S")})'
    file.truncate(0)
    os.pwrite(file.fileno(), text.encode('utf-8', 'replace'), 0)
