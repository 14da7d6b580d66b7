"""A lock that goes with its processes: those that have the file open."""

from __future__ import annotations

import fcntl

from rover_common.wheels.progress import Progress


def wait_for_lock(file: int, progress: Progress, other: str) -> None:
    """Takes the lock of an open file or folder; says that it waits if another has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        progress.say(f'Waiting for another {other}')
        with progress.under_way(f'waiting for the other {other}'):
            fcntl.flock(file, fcntl.LOCK_EX)
