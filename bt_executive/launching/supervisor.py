"""The supervisor: starts the processes, restarts those that die, and ends all in order.

It has no thread: the console's loop calls `watch`. Children are forked from a warm parent
(common/rover_common/process/warm_parent.py) into their own sessions, so that a Ctrl-C in the
terminal reaches the console only, which ends them in order. If the supervisor itself is killed,
the children notice by their lifelines and end in the same order
(common/rover_common/process/process_end.py).

`RestartPolicy` serves `RespawningNode` of ROS launch, too, which must own its processes itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
import math
import os
from pathlib import Path
import signal
import time
from typing import IO

import psutil

from bt_executive.launching.system_processes import NodeProcess
from rover_common.process.process_end import UNUSABLE, Lifelines
from rover_common.process.standard_streams import LOG_ENCODING
from rover_common.process.warm_parent import Program, WarmParent

FIRST_DELAY_S = 0.3  # short: an executive without its adapter can only wait
WINDOW_S = 60.0  # older deaths are not counted
MOST_DEATHS = 5  # after more within the window, restarts are WINDOW_S apart


@dataclass
class RestartPolicy:
    """The deaths of one process, in steady seconds.

    A process that dies again and again takes little processor time from the others, and it is
    restarted once the cause is gone, such as a full disk.
    """

    deaths: deque[float] = field(default_factory=deque)
    started_at: float = -math.inf  # the latest of the restarts that are WINDOW_S apart

    def restart_delay(self, code: int | None, now: float) -> float | None:
        """Return the seconds until the restart; None: its options are unusable, no restart.

        Doubles with each death. After more than MOST_DEATHS within WINDOW_S it is WINDOW_S, until
        the process has run for as long as that. `code`: the exit code; None: unknown. `now`:
        steady time in s.
        """
        if code == UNUSABLE:
            return None
        self.deaths.append(now)
        while now - self.deaths[0] > WINDOW_S:
            self.deaths.popleft()
        if len(self.deaths) <= MOST_DEATHS and now - self.started_at > WINDOW_S:
            return FIRST_DELAY_S * 2.0 ** (len(self.deaths) - 1)
        self.started_at = now + WINDOW_S
        return WINDOW_S


LAST_BYTES = 8192  # of a log, in which its last line is searched
MAX_LOG_BYTES = 20_000_000  # beyond it the older half of a log is dropped
END_TIMEOUT_S = 4.0  # from SIGTERM to SIGKILL, for each stage
# The output of a node is written to its log here; it needs no log file of rcl.
ROS_ARGUMENTS = ('--ros-args', '--disable-external-lib-logs')


@dataclass(frozen=True)
class SupervisorNotice:
    """The death or the restart of a process.

    Attributes:
        died: It has ended, or could not be restarted; else it was restarted.
        is_final: It has ended and is not restarted.
        unusable: It has ended because its options or its configuration are unusable.
        restart_in_s: The delay until it is restarted.
    """

    name: str
    died: bool
    text: str
    is_final: bool = False
    unusable: bool = False
    restart_in_s: float = 0.0


@dataclass
class _Child:
    node: NodeProcess
    log: Path
    process: psutil.Process | None = None
    start_at: float | None = None  # steady time of the next start
    restarts: RestartPolicy = field(default_factory=RestartPolicy)

    def exit_code(self) -> int | None:
        """Return the exit code, negative for a signal; None: it runs, or was not started."""
        if self.process is None or _is_running(self.process.pid):
            return None
        try:
            code = self.process.wait(timeout=0)
        except psutil.TimeoutExpired:
            return None
        return 1 if code is None else code  # None: another caller has waited for it


class Supervisor:
    """Owns the child processes of one run.

    Args:
        nodes: Those to start.
        arguments: Command line arguments of every node.
        log_folder: Made at the start if absent; each node writes `<name>.log` there, of which
            the latest 10 to 20 MB are kept.
        environment: The children's environment variables.
        parent: Forks them; None if there is nothing to start.
        clock: Steady time in s.
        first_arguments: By node, further arguments of its first start.
    """

    def __init__(
        self,
        nodes: Sequence[NodeProcess],
        arguments: Sequence[str],
        log_folder: Path,
        environment: Mapping[str, str],
        parent: WarmParent | None,
        clock: Callable[[], float] = time.monotonic,
        first_arguments: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._arguments = list(arguments)
        self._first_arguments = dict(first_arguments or {})
        self._environment = {**environment, **LOG_ENCODING, 'PYTHONUNBUFFERED': '1'}
        self._parent = parent
        self._clock = clock
        self._folder = os.getcwd()  # it may be removed, which no start should wait for
        self._children = [_Child(node, log_folder / f'{node.name}.log') for node in nodes]
        self._lifelines = Lifelines(node.end_stage for node in nodes)

    def start(self) -> None:
        """Starts every process."""
        for folder in {child.log.parent for child in self._children}:
            folder.mkdir(parents=True, exist_ok=True)
        for child in self._children:
            self._start(child)

    def watch(self) -> list[SupervisorNotice]:
        """Checks every process once and restarts those that are due. Never waits."""
        notices = []
        for child in self._children:
            _drop_older_half(child.log)
            code = child.exit_code()
            if code is not None:
                notices.append(self._handle_death(child, code))
            elif child.start_at is not None and child.start_at <= self._clock():
                notices.append(self._restart(child))
        return notices

    def end(self) -> None:
        """Ends every process, in order; returns when all have ended. May be called twice."""
        for stage in self._lifelines.stages:
            self._end_stage([child for child in self._children if child.node.end_stage == stage])
        self._lifelines.close()

    def pids(self) -> dict[str, int]:
        """Return the process ids of the running nodes, by name."""
        return {
            child.node.name: child.process.pid
            for child in self._children
            if child.process is not None and child.exit_code() is None
        }

    def _start(self, child: _Child) -> None:
        child.start_at = None
        first = self._first_arguments.pop(child.node.name, ())
        with _open_log(child.log) as log, open(os.devnull, 'rb') as no_input:
            program = Program(
                child.node.module,
                [*child.node.arguments, *first, *self._arguments, *ROS_ARGUMENTS],
                {**self._environment, **self._lifelines.environment(child.node.end_stage)},
                self._folder,
            )
            assert self._parent is not None
            pid = self._parent.start(program, no_input.fileno(), log.fileno(), log.fileno())
        child.process = psutil.Process(pid)

    def _restart(self, child: _Child) -> SupervisorNotice:
        name = child.node.name
        try:
            self._start(child)
        except OSError as error:  # no process, no file descriptor: for this moment
            return self._start_later(child, f'{name} could not be started ({error.strerror})')
        return SupervisorNotice(name, False, f'{name} started again')

    def _handle_death(self, child: _Child, code: int) -> SupervisorNotice:
        child.process = None
        name = child.node.name
        death = f'{name} {exit_description(code)}'
        if code > 0:
            death += f' ({_last_line(child.log)})'
        return self._start_later(child, death, code)

    def _start_later(
        self, child: _Child, failure: str, code: int | None = None
    ) -> SupervisorNotice:
        """Schedule the next start. `code`: the exit code; None: it was not even started."""
        name = child.node.name
        delay = child.restarts.restart_delay(code, self._clock())
        if delay is None:
            text = f'{failure} and is not started again; see {child.log}'
            return SupervisorNotice(name, True, text, is_final=True, unusable=code == UNUSABLE)
        child.start_at = self._clock() + delay
        text = f'{failure}; it is started again in {delay:.1f} s'
        if delay >= WINDOW_S and code is not None:
            text += f': it has died more than {MOST_DEATHS} times in a minute; see {child.log}'
        return SupervisorNotice(name, True, text, restart_in_s=delay)

    def _end_stage(self, children: Sequence[_Child]) -> None:
        terminated = []
        for child in children:
            child.start_at = None
            if child.process is not None and child.exit_code() is None:
                child.process.terminate()
                terminated.append(child.process)
        _, running = psutil.wait_procs(terminated, timeout=END_TIMEOUT_S)
        for process in running:
            os.killpg(process.pid, signal.SIGKILL)
        psutil.wait_procs(running, timeout=END_TIMEOUT_S)


def _is_running(pid: int) -> bool:
    """Return whether a child has not ended, in a twentieth of psutil's time."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:  # another caller has waited for it
        return False


def exit_description(code: int) -> str:
    """Return what became of a process, as words after its name; `code`: negative for a signal."""
    if code < 0:
        names = {number.value: number.name for number in signal.Signals}
        return f'was killed by {names.get(-code, f"signal {-code}")}'
    return f'ended unexpectedly with exit code {code}'


def _open_log(log: Path) -> IO[bytes]:
    """Open a log, or the null device: a full disk must not prevent a restart."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open('ab')
    except OSError:
        return open(os.devnull, 'ab')


def _drop_older_half(log: Path) -> None:
    """Drop whole lines of a log that is full. Its process goes on: what it writes is appended."""
    with suppress(OSError):
        if log.stat().st_size <= MAX_LOG_BYTES:
            return
        with log.open('rb+') as file:
            file.seek(-MAX_LOG_BYTES // 2, os.SEEK_END)
            file.readline()
            latest = file.read()
            file.truncate(0)
        with log.open('ab') as file:
            file.write(latest)


def _last_line(log: Path) -> str:
    try:
        with log.open('rb') as file:
            file.seek(max(0, log.stat().st_size - LAST_BYTES))
            text = file.read(LAST_BYTES).decode(errors='replace')
    except OSError as error:
        return f'its log cannot be read: {error.strerror}'
    lines = text.split('\n')
    return next((line.strip() for line in reversed(lines) if line.strip()), 'it wrote nothing')
