"""One process forks the programs of the suite. It was forked before the tests were collected.

It has loaded what programs load, or was forked from a process that had, and none of the tests. A
fork copies the tables of all memory: with the collected tests that took twice as long, and twice
for each program, as the process that forks for a warm parent (`rover_common.process.warm_parent`)
ends at once.

A program is a child of this process and not of whoever asked for it, who learns over a socket
how it has ended. Until that is read it stays a zombie, so that nobody else gets its number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
import json
import os
from select import select
from selectors import EVENT_READ, DefaultSelector
import socket
import struct
import traceback
from typing import Any, NoReturn
import uuid

from rover_common.process.warm_parent import (
    ANSWER,
    LENGTH,
    Program,
    become,
    prepare_to_fork,
    receive,
)

SHOWN = 'program_server'


@dataclass(frozen=True)
class Running:
    """A program. `line`: is readable when it has ended."""

    pid: int
    line: socket.socket

    def has_ended(self) -> bool:
        """Whether `wait` would return at once."""
        return bool(select([self.line], [], [], 0)[0])

    def wait(self) -> int:
        """Waits for the end; returns the status as `os.waitpid` does."""
        (status,) = ANSWER.unpack(receive(self.line, ANSWER.size))
        self.line.close()
        return int(status)


class ProgramServer:
    """The side of those who ask: this process, and those that are forked from it.

    Args:
        load: Loads what programs need, when `begin` has been called.
    """

    def __init__(self, load: Callable[[], object]) -> None:
        self._address = f'\0{uuid.uuid4().hex}'  # a path would be too long
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._address)
            listener.listen()
            self._control, theirs = socket.socketpair()
            with theirs:
                if not os.fork():
                    self._control.close()
                    _live(listener, theirs, load)

    def begin(self) -> None:
        """Lets it load. It ends when all those who may ask have ended."""
        self._control.sendall(b'.')

    def start(self, program: Program, streams: Sequence[int]) -> Running:
        """Starts a program with these file descriptors.

        Raises:
            ConnectionError: The process that forks has ended.
        """
        line = socket.socket(socket.AF_UNIX)
        line.connect(self._address)
        order = json.dumps(asdict(program)).encode()
        socket.send_fds(line, [LENGTH.pack(len(order))], list(streams))
        line.sendall(order)
        return Running(ANSWER.unpack(receive(line, ANSWER.size))[0], line)


def _live(listener: socket.socket, control: socket.socket, load: Callable[[], object]) -> NoReturn:
    try:
        if control.recv(1):
            prepare_to_fork(SHOWN, load, listener.fileno(), control.fileno())
            _Forking(listener, control).serve()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


class _Forking:
    """The process that forks."""

    def __init__(self, listener: socket.socket, control: socket.socket) -> None:
        self._listener, self._control = listener, control
        self._watched = DefaultSelector()
        self._watched.register(listener, EVENT_READ, self._fork_one)
        self._watched.register(control, EVENT_READ)

    def serve(self) -> None:
        """Returns when all those who may ask have ended."""
        while True:
            for key, _ in self._watched.select():
                if key.fileobj is self._control:
                    return
                key.data()

    def _fork_one(self) -> None:
        line, _ = self._listener.accept()
        try:
            head, streams, _, _ = socket.recv_fds(line, LENGTH.size, 3)
            order = json.loads(receive(line, *LENGTH.unpack(head)))
        except (ConnectionError, struct.error):  # who asked has been killed
            line.close()
            return
        pid = os.fork()
        if not pid:
            self._become(line, order, streams)
        for each in streams:
            os.close(each)
        with suppress(ConnectionError):
            line.sendall(ANSWER.pack(pid))
        ended = os.pidfd_open(pid)
        self._watched.register(ended, EVENT_READ, lambda: self._report(pid, ended, line))

    def _become(
        self, line: socket.socket, order: Mapping[str, Any], streams: Sequence[int]
    ) -> NoReturn:
        line.close()
        for key in [*self._watched.get_map().values()]:
            os.close(key.fd)
        self._watched.close()
        become(Program(**order), streams)

    def _report(self, pid: int, ended: int, line: socket.socket) -> None:
        self._watched.unregister(ended)
        os.close(ended)
        end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert end is not None
        status = end.si_status << 8 if end.si_code == os.CLD_EXITED else end.si_status
        with suppress(ConnectionError):
            line.sendall(ANSWER.pack(status))
        self._watched.register(line, EVENT_READ, lambda: self._let_go(pid, line))

    def _let_go(self, pid: int, line: socket.socket) -> None:
        """Whoever asked has read how it ended, or has ended too."""
        self._watched.unregister(line)
        line.close()
        os.waitpid(pid, 0)
