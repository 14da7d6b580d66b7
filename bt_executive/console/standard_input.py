"""Reads lines from standard input in a thread of its own."""

from __future__ import annotations

import codecs
from collections.abc import Callable
import os

from bt_executive.client.front_end_events import EndOfInput, InputLine
from rover_common.process.threads import start_thread

LONGEST = 2_000_000  # characters of a line that are kept: more than any command takes


def read_lines(descriptor: int, put: Callable[[InputLine | EndOfInput], None]) -> None:
    """Reads from a thread of its own until the end of input.

    `put` may wait; nothing is read meanwhile. The descriptor is read directly: a thread that waits
    inside `sys.stdin` would hold its lock when the interpreter shuts down. Bytes that are not
    UTF-8 are shown as replacement characters.
    """
    start_thread(lambda: _read(descriptor, put), 'stdin', lambda _fault: put(EndOfInput()))


def _read(descriptor: int, put: Callable[[InputLine | EndOfInput], None]) -> None:
    decoder = codecs.getincrementaldecoder('utf-8')('replace')
    rest = ''
    while chunk := _read_chunk(descriptor):
        *lines, rest = (rest + decoder.decode(chunk)).split('\n')
        for line in lines:
            put(InputLine(line))
        rest = rest[:LONGEST]
    rest += decoder.decode(b'', final=True)
    if rest:
        put(InputLine(rest))
    put(EndOfInput())


def _read_chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # closed, or the terminal hung up: there is no more input
        return b''
