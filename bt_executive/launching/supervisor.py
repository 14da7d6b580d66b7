"""The supervisor: starts the processes, starts the dead ones again, and leaves none behind.

It has no thread: `watch` is called by whoever runs the loop. Children are forked from a warm
parent (common/rover_common/process/warm_parent.py), and live in sessions of their own, so that a
Ctrl-C in the terminal reaches the console alone, which ends them in order.
Should the supervisor itself be killed, the children notice by their lifelines and end in the same
order (common/rover_common/process/lifeline.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
import os
from pathlib import Path
import signal
import time
from typing import IO

import psutil

from bt_executive.launching.node_process import NodeProcess
from bt_executive.launching.restart_delays import MOST_DEATHS, WINDOW_S, RestartPolicy
from rover_common.exit_codes import UNUSABLE
from rover_common.process.lifeline import Lifelines
from rover_common.process.standard_streams import LOG_ENCODING
from rover_common.process.warm_parent import Program, WarmParent

LAST_BYTES = 8192  # of a log, in which its last line is looked for
END_LIMIT_S = 4.0  # from SIGTERM to SIGKILL, for each group of processes
# What a node says is caught here; it needs no file of its own.
ROS_ARGUMENTS = ('--ros-args', '--disable-external-lib-logs')


@dataclass(frozen=True)
class SupervisorNotice:
    """Something happened to a process.

    Attributes:
        died: It is gone; else it was started again.
        is_final: It is gone and is not started again.
        unusable: It cannot use its options or its configuration, which is why it is gone.
        restart_in_s: How long until it is started again.
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
        """How its process has ended, as `subprocess` has it; None: it lives, or there is none."""
        if self.process is None or _lives(self.process.pid):
            return None
        try:
            code = self.process.wait(timeout=0)
        except psutil.TimeoutExpired:
            return None
        return 1 if code is None else code  # None: somebody else was told


class Supervisor:
    """Owns the child processes of one run.

    Args:
        nodes: What to start.
        arguments: Command line arguments that every node gets.
        log_folder: Made at the start if absent; each node writes `<name>.log` there.
        environment: The children's environment variables.
        parent: Forks them; None if there is nothing to start.
        clock: Steady seconds.
        first_arguments: By node, what it gets besides when it is started for the first time.
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
        self._children = [_Child(node, log_folder / f'{node.name}.log') for node in nodes]
        self._lifelines = Lifelines(node.end_stage for node in nodes)

    def start(self) -> None:
        """Starts every process."""
        for folder in {child.log.parent for child in self._children}:
            folder.mkdir(parents=True, exist_ok=True)
        for child in self._children:
            self._start(child)

    def watch(self) -> list[SupervisorNotice]:
        """Looks once at every process; starts again what is due. Never waits."""
        notices = []
        for child in self._children:
            code = child.exit_code()
            if code is not None:
                notices.append(self._bury(child, code))
            elif child.start_at is not None and child.start_at <= self._clock():
                self._start(child)
                notices.append(
                    SupervisorNotice(child.node.name, False, f'{child.node.name} started again')
                )
        return notices

    def end(self) -> None:
        """Ends every process, in order; returns when none is left. May be called twice."""
        for stage in self._lifelines.stages:
            self._end_stage([child for child in self._children if child.node.end_stage == stage])
        self._lifelines.close()

    def pids(self) -> dict[str, int]:
        """Process ids of the living, by name of the node."""
        return {
            child.node.name: child.process.pid
            for child in self._children
            if child.process is not None and child.exit_code() is None
        }

    def _start(self, child: _Child) -> None:
        child.start_at = None
        first = self._first_arguments.pop(child.node.name, ())
        with _open_log(child.log) as log, open(os.devnull, 'rb') as nothing:
            program = Program(
                child.node.module,
                [*child.node.arguments, *first, *self._arguments, *ROS_ARGUMENTS],
                {**self._environment, **self._lifelines.environment(child.node.end_stage)},
                os.getcwd(),
            )
            assert self._parent is not None
            pid = self._parent.start(program, nothing.fileno(), log.fileno(), log.fileno())
        child.process = psutil.Process(pid)

    def _bury(self, child: _Child, code: int) -> SupervisorNotice:
        child.process = None
        name = child.node.name
        death = f'{name} {_how_it_ended(code)}'
        if code > 0:
            death += f' ({_last_line(child.log)})'
        delay = child.restarts.restart_delay(code, self._clock())
        if delay is not None:
            child.start_at = self._clock() + delay
            again = f'{death}; it is started again in {delay:.1f} s'
            text = again + _why_so_late(delay, child.log)
            return SupervisorNotice(name, True, text, restart_in_s=delay)
        words = f'{death} and is not started again; see {child.log}'
        return SupervisorNotice(name, True, words, is_final=True, unusable=code == UNUSABLE)

    def _end_stage(self, children: Sequence[_Child]) -> None:
        alive = []
        for child in children:
            child.start_at = None
            if child.process is not None and child.exit_code() is None:
                child.process.terminate()
                alive.append(child.process)
        _, stubborn = psutil.wait_procs(alive, timeout=END_LIMIT_S)
        for process in stubborn:
            os.killpg(process.pid, signal.SIGKILL)
        psutil.wait_procs(stubborn, timeout=END_LIMIT_S)


def _lives(pid: int) -> bool:
    """Return whether a child has not ended; to ask psutil takes 20 times as long."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:  # somebody else was told
        return False


def _why_so_late(delay: float, log: Path) -> str:
    often = f'it has died more than {MOST_DEATHS} times in a minute'
    return f': {often}; see {log}' if delay >= WINDOW_S else ''


def _how_it_ended(code: int) -> str:
    if code < 0:
        known = {number.value: number.name for number in signal.Signals}
        return f'was killed by {known.get(-code, f"signal {-code}")}'
    return f'ended unexpectedly with exit code {code}'


def _open_log(log: Path) -> IO[bytes]:
    """Its log, or none: a node that must run again does so without a folder or a full disk."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open('ab')
    except OSError:
        return open(os.devnull, 'ab')


def _last_line(log: Path) -> str:
    try:
        with log.open('rb') as file:
            file.seek(max(0, log.stat().st_size - LAST_BYTES))
            words = file.read(LAST_BYTES).decode(errors='replace')
    except OSError as error:
        return f'its log cannot be read: {error.strerror}'
    lines = words.split('\n')
    return next((line.strip() for line in reversed(lines) if line.strip()), 'it wrote nothing')
