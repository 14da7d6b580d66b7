"""Lifelines: a child process learns that its supervisor is gone, whatever killed it.

A lifeline is a pipe that nobody ever writes to. The child holds the read end; the write end is
held by the supervisor and by the processes that must end before this one. The kernel closes the
ends of a dead process, by `kill -9` too, so the child reads end-of-file once the last holder of
the write end is gone.

A child finds the ends as files of its supervisor below /proc: `ros2 launch` starts processes
without a way to hand them file descriptors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
import os
import threading
import time

ENVIRONMENT = 'BT_EXECUTIVE_LIFELINE'  # the end to read, then those to hold
GRACE_S = 3.0  # a child that was told to end and does not is ended by force after this time


class Lifelines:
    """The supervisor's side: one pipe for each stage of the end, the first stage ending first."""

    def __init__(self, stages: Iterable[int]) -> None:
        self._pipes = {stage: os.pipe() for stage in sorted(set(stages))}

    @property
    def stages(self) -> list[int]:
        """In the order in which they end."""
        return list(self._pipes)

    def environment(self, stage: int) -> dict[str, str]:
        """What a child that ends in `stage` must find in its environment."""
        own, _ = self._pipes[stage]
        later = [write for each, (_, write) in self._pipes.items() if each > stage]
        ends = [f'/proc/{os.getpid()}/fd/{end}' for end in (own, *later)]
        return {ENVIRONMENT: os.pathsep.join(ends)}

    def close(self) -> None:
        """Lets go of all ends."""
        for pipe in self._pipes.values():
            for end in pipe:
                os.close(end)
        self._pipes = {}


def watch_lifeline(on_cut: Callable[[], None], grace_s: float = GRACE_S) -> None:
    """Calls `on_cut` from a thread when this process's lifeline is cut; without one, never.

    If the process is still there `grace_s` seconds later, it exits at once with code 1.
    """
    ends = os.environ.pop(ENVIRONMENT, '')
    if ends:
        descriptor = _take(*ends.split(os.pathsep))
        threading.Thread(
            target=_watch, args=(descriptor, on_cut, grace_s), name='lifeline', daemon=True
        ).start()


def _take(own: str, *later: str) -> int | None:
    """Opens the ends for the life of this process; None: the supervisor is gone already."""
    try:
        for each in later:
            os.open(each, os.O_WRONLY | os.O_NONBLOCK)
        descriptor = os.open(own, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    os.set_blocking(descriptor, True)
    return descriptor


def _watch(descriptor: int | None, on_cut: Callable[[], None], grace_s: float) -> None:
    while descriptor is not None and os.read(descriptor, 1):
        pass
    on_cut()
    time.sleep(grace_s)
    os._exit(1)
