"""A lock on an open file, with the number of the process that holds it in the file.

The kernel lets go of the lock when the process ends, whatever ended it. The file stays.
"""

from __future__ import annotations

from contextlib import suppress
import fcntl
import os
from typing import TextIO

PID_LENGTH = 20  # no shorter number leaves digits of a longer one behind


def holder_of(file: TextIO) -> str:
    """Locks the file until it is closed; empty, or the process that holds it already."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return file.read().strip() or 'unknown'
    return ''


def sign(file: TextIO) -> None:
    """Writes this process into a file that it has locked.

    A full disk takes no number; the lock holds without.
    """
    with suppress(OSError):
        os.pwrite(file.fileno(), f'{os.getpid():<{PID_LENGTH}}'.encode(), 0)
