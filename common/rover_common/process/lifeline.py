"""Lifelines: a child process learns that its supervisor is gone, whatever killed it.

A lifeline is a pipe that nobody ever writes to. The child holds the read end; the write end is
held by the supervisor and by the processes that must end before this one. The kernel closes the
ends of a dead process, by `kill -9` too, so the child reads end-of-file once the last holder of
the write end is gone.

One more pipe is held by the supervisor alone. A process of an earlier stage that hangs or is
suspended holds its write ends for ever; this pipe tells the later ones to wait no longer than
`STAGE_S` for each stage before theirs.

A child finds the ends as files of its supervisor below /proc: `ros2 launch` starts processes
without a way to hand them file descriptors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
import os
import select
import time

from rover_common.process.threads import start_thread

# How many stages end earlier, the supervisor's end to read, the stage's own, then those to hold.
ENVIRONMENT = 'BT_EXECUTIVE_LIFELINE'
GRACE_S = 3.0  # a child that does not end on request is killed after this time
STAGE_S = 10.0  # maximum wait for a stage after the supervisor's death; more than GRACE_S


class Lifelines:
    """The supervisor's side: one pipe for each stage of the end, the first stage ending first."""

    def __init__(self, stages: Iterable[int]) -> None:
        self._pipes = {stage: os.pipe() for stage in sorted(set(stages))}
        self._alone = os.pipe()

    @property
    def stages(self) -> list[int]:
        """In the order in which they end."""
        return list(self._pipes)

    def environment(self, stage: int) -> dict[str, str]:
        """What a child that ends in `stage` must find in its environment."""
        own, _ = self._pipes[stage]
        later = [write for each, (_, write) in self._pipes.items() if each > stage]
        ends = [f'/proc/{os.getpid()}/fd/{end}' for end in (self._alone[0], own, *later)]
        return {ENVIRONMENT: os.pathsep.join([str(self.stages.index(stage)), *ends])}

    def close(self) -> None:
        """Close all ends."""
        pipes = [*self._pipes.values(), self._alone] if self._pipes else []
        for pipe in pipes:
            for end in pipe:
                os.close(end)
        self._pipes = {}


def watch_lifeline(
    on_cut: Callable[[], None], grace_s: float = GRACE_S, stage_s: float = STAGE_S
) -> None:
    """Calls `on_cut` from a thread when this process's lifeline is cut; without one, never.

    If the process is still there `grace_s` seconds later, it exits at once with code 1. Earlier
    stages that do not end are waited for `stage_s` seconds each.
    """
    given = os.environ.pop(ENVIRONMENT, '')
    if given:
        earlier, *ends = given.split(os.pathsep)
        lines = _open_ends(*ends)
        patience_s = int(earlier) * stage_s
        start_thread(lambda: _watch(lines, patience_s, on_cut, grace_s), 'lifeline')


def _open_ends(alone: str, own: str, *later: str) -> tuple[int, int] | None:
    """Opens the ends for the life of this process; None: the supervisor is gone already."""
    try:
        for each in later:
            os.open(each, os.O_WRONLY | os.O_NONBLOCK)
        supervisor, stage = (os.open(each, os.O_RDONLY | os.O_NONBLOCK) for each in (alone, own))
    except OSError:
        return None
    return supervisor, stage


def _watch(
    lines: tuple[int, int] | None, patience_s: float, on_cut: Callable[[], None], grace_s: float
) -> None:
    if lines is not None:
        supervisor, stage = lines
        _wait_for_cut((supervisor, stage))
        _wait_for_cut((stage,), patience_s)
    on_cut()
    time.sleep(grace_s)
    os._exit(1)


def _wait_for_cut(lines: Iterable[int], limit_s: float | None = None) -> None:
    """Waits until one of the lines is cut."""
    waiting = select.poll()
    for each in lines:
        waiting.register(each, select.POLLHUP)
    waiting.poll(None if limit_s is None else limit_s * 1000.0)
