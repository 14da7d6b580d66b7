"""Lifelines: a child process learns that its supervisor is gone, whatever killed it.

A lifeline is a pipe that nobody ever writes to. The child holds the read end; the write end is
held by the supervisor and by the processes that must end before this one. The kernel closes the
ends of a dead process, by `kill -9` too, so the child reads end-of-file once the last holder of
the write end is gone.
"""

from __future__ import annotations

from collections.abc import Callable
import os
import threading
import time

ENVIRONMENT = 'BT_EXECUTIVE_LIFELINE'
GRACE_S = 3.0  # a child that was told to end and does not is ended by force after this time


class Lifeline:
    """The supervisor's side of one pipe."""

    def __init__(self) -> None:
        self.read_end, self.write_end = os.pipe()

    def close(self) -> None:
        """Lets go of both ends."""
        os.close(self.read_end)
        os.close(self.write_end)


def watch_lifeline(on_cut: Callable[[], None], grace_s: float = GRACE_S) -> None:
    """Calls `on_cut` from a thread when this process's lifeline is cut; without one, never.

    If the process is still there `grace_s` seconds later, it exits at once with code 1.
    """
    descriptor = os.environ.pop(ENVIRONMENT, '')
    if descriptor:
        threading.Thread(
            target=_watch, args=(int(descriptor), on_cut, grace_s), name='lifeline', daemon=True
        ).start()


def _watch(descriptor: int, on_cut: Callable[[], None], grace_s: float) -> None:
    while os.read(descriptor, 1):
        pass
    on_cut()
    time.sleep(grace_s)
    os._exit(1)
