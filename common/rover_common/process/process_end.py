"""What ends a process: signals as a call, a lifeline to its supervisor; and its exit code.

Python raises `KeyboardInterrupt` at any point of its main thread. In a destructor or in the
callback of a weak reference it cannot be caught: it is printed ("Exception ignored in …") and
dropped, and the program goes on. A loop of asyncio may turn it into a `CancelledError`. A signal
handler interrupts any code of the main thread, including another handler. A lock that it acquires
may be held right there, by `threading.Event.set` for example: a deadlock. So `Shutdown.request`
only sets a flag and writes into a pipe.

A lifeline is a pipe that nobody ever writes to. The child holds the read end; the write end is
held by the supervisor and by the processes that must end before this one. The kernel closes the
ends of a dead process, by `kill -9` too, so the child reads end-of-file once the last holder of
the write end is gone. One more pipe is held by the supervisor alone. A process of an earlier stage
that hangs or is suspended holds its write ends for ever; this pipe tells the later ones to wait no
longer than `STAGE_S` for each stage before theirs. A child finds the ends as files of its
supervisor below /proc: `ros2 launch` starts processes without a way to hand them file descriptors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
import os
import select
import signal
import threading
import time
from types import FrameType
from typing import Any

from rover_common.process.threads import start_thread

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def handle_ending_signals(
    handler: Callable[[int, FrameType | None], object],
) -> dict[signal.Signals, Any]:
    """Install a handler for these signals; return the previous handlers, by signal.

    The handler acquires no lock. A SIGHUP that is ignored stays ignored: with `nohup` the process
    outlives its terminal.
    """
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    if before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]
    for number in before:
        signal.signal(number, handler)
    return before


def restore_default_signals() -> None:
    """Let these signals end the process at once where they would raise KeyboardInterrupt."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is signal.default_int_handler:
            signal.signal(number, signal.SIG_DFL)


class Shutdown:
    """A request that this process end.

    Attributes:
        requested: Whether it was made.
    """

    def __init__(self) -> None:
        self.requested = False
        self._end: Callable[[], object] = lambda: None
        self._calls = threading.Lock()  # held while `_end` is called; no handler takes it
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        self._thread = start_thread(self._wait, 'ending')

    def then(self, end: Callable[[], object]) -> None:
        """Register the callback of the request; it is called now if the request was made.

        Args:
            end: Called in a thread of its own, possibly more than once. It replaces the previous
                callback, which is not called after this returns.
        """
        with self._calls:
            self._end = end
        if self.requested:
            end()

    def request(self, *_: int | FrameType | None) -> None:
        """Request the end, from any thread; has the signature of a signal handler."""
        self.requested = True
        with suppress(OSError):  # the pipe is full, or it is closed
            os.write(self._writing, b'\0')

    def end_waits_in_c(self) -> None:
        """Call the callback of `then` at every signal for which Python has a handler.

        The handler itself runs when the main thread is back in Python, and a wait of rcl does not
        return for a signal; the callback can end it.
        """
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)

    def close(self) -> None:
        """Release the pipe; the callback is not called afterwards, and `request` must not be."""
        writing, self._writing = self._writing, -1
        os.close(writing)
        self._thread.join()
        os.close(self._reading)

    def _wait(self) -> None:
        while os.read(self._reading, 512):
            with self._calls:
                self._end()


@contextmanager
def ending_signals() -> Iterator[Shutdown]:
    """Turn these signals into a request to end, within the block.

    Main thread only. A blocking call in the block is not interrupted.
    """
    shutdown = Shutdown()
    before = handle_ending_signals(shutdown.request)
    try:
        yield shutdown
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        shutdown.close()


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


DONE, NOT_REACHED, USAGE, INTERRUPTED = 0, 1, 2, 130
UNUSABLE = 2  # exit code of a process that cannot use its options; starting it again is no help
