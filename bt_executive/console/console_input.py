"""The console's input: the lines of standard input, put as events."""

from __future__ import annotations

import codecs
from collections.abc import Callable
import os

from bt_executive.client.front_end_events import EndOfInput, InputLine
from rover_common.process.threads import start_thread

LONGEST = 2_000_000  # characters of a line that are kept: more than any command takes


def read_lines(descriptor: int, put: Callable[[InputLine | EndOfInput], None]) -> None:
    """Read lines in a thread until the end of input.

    `put` may block; nothing is read meanwhile. The descriptor is read directly: a thread that
    blocks in `sys.stdin` would hold its lock when the interpreter shuts down. Bytes that are not
    UTF-8 become replacement characters.
    """
    start_thread(lambda: _read(descriptor, put), 'stdin', lambda _fault: put(EndOfInput()))


def _read(descriptor: int, put: Callable[[InputLine | EndOfInput], None]) -> None:
    decoder = codecs.getincrementaldecoder('utf-8')('replace')
    partial = ''
    while chunk := _read_chunk(descriptor):
        *lines, partial = (partial + decoder.decode(chunk)).split('\n')
        for line in lines:
            put(InputLine(line))
        partial = partial[:LONGEST]
    partial += decoder.decode(b'', final=True)
    if partial:
        put(InputLine(partial))
    put(EndOfInput())


def _read_chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # closed, or the terminal hung up: there is no more input
        return b''
