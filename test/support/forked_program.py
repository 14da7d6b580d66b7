"""A program that somebody else starts, such as a shell, and that is forked as all of the suite.

If the environment says so, its file asks here, over a socket, for a process with the same
streams, environment and folder, and ends as that ends; else it starts from nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
import marshal
import os
from pathlib import Path
from select import select
import signal
import socket
import sys
import threading
import uuid

from warm import start_program

from rover_common.process.warm_parent import Program

FORKED = {'FORKED_BY_THE_SUITE': '1'}  # the environment
ASKS = """#!{python} -IS
import os, sys
if not os.environ.pop('FORKED_BY_THE_SUITE', ''):
    os.execv({from_nothing[0]!r}, [*{from_nothing!r}, *sys.argv[1:]])
import marshal, socket
line = socket.socket(socket.AF_UNIX)
line.connect({address!r})
order = marshal.dumps((sys.argv[1:], dict(os.environ), os.getcwd()))
socket.send_fds(line, [len(order).to_bytes(4, 'big')], [0, 1, 2])
line.sendall(order)
sys.exit(line.recv(1)[0])
"""


class ForkedProgram:
    """Serves one program, which is `python -m MODULE WORDS … …`.

    Args:
        file: What is started; made here.
        module: Of the program.
        words: Its first arguments.
        from_nothing: How it starts without this process; by default as `python -m` does.
    """

    def __init__(
        self, file: Path, module: str, *words: str, from_nothing: Sequence[str] = ()
    ) -> None:
        self._module, self._words = module, words
        command = [*from_nothing] or [sys.executable, '-m', module, *words]
        address = f'\0{uuid.uuid4().hex}'  # a path would be too long
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(address)
        self._socket.listen()
        asks = ASKS.format(python=sys.executable, from_nothing=command, address=address)
        file.write_text(asks, encoding='utf-8')
        file.chmod(0o755)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            line, _ = self._socket.accept()
            threading.Thread(target=self._run, args=(line,), daemon=True).start()

    def _run(self, line: socket.socket) -> None:
        with line, line.makefile('rb') as rest:
            head, streams, _, _ = socket.recv_fds(line, 4, 3)
            arguments, environment, folder = marshal.loads(rest.read(int.from_bytes(head, 'big')))
            words = (*self._words, *arguments)
            program = start_program(Program(self._module, words, environment, folder), streams)
            for each in streams:
                os.close(each)
            select([line, program.line], [], [])  # nothing more is said: who asks is gone
            if not program.has_ended():
                os.kill(program.pid, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(program.wait())
            with suppress(ConnectionError):  # who asked is gone
                line.sendall(bytes([code if code >= 0 else 128 - code]))
