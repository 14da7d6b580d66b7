"""The whole system as a user starts it: `bt-executive …` in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any

from domains import next_domain
from forked_program import ForkedProgram
from kept_run import KeptRun
from known import known
from lean import LEAN, NAVIGATING
import psutil
import pytest
from waiting import wait_until
from warm import WarmPopen

# Limits of waiting say nothing of the system: a busy machine may take as long as it likes.
START_LIMIT_S = 120.0
END_LIMIT_S = 200.0
TIMES_ASKED = 3
NOT_ANSWERED = ('No server answers at', 'No answer from')  # to a question of the console
LOOK_S = 0.05  # reads files of the run
OF_ROVER = ('rover', 'curiosity_control', 'curiosity_adapter', 'environment_simulator')
# With all that a user has. Two such systems may run at a time: each takes a free port.
WHOLE = ('--set', 'vision.port=0')


class Run(KeptRun):
    """One `bt-executive` command, watched from outside: its output, its trace, its processes."""

    def __init__(
        self, run_dir: Path, arguments: list[str], stdin: int | None, domain: int | None
    ) -> None:
        super().__init__(run_dir)
        self.domain = next_domain() if domain is None else domain
        command, *options = arguments
        folder = [] if command == 'console' else ['--run-dir', str(run_dir)]  # it has no run
        self._output = run_dir.with_suffix('.out')
        with self._output.open('wb') as output:
            self.process = WarmPopen(
                [
                    *(sys.executable, '-m', 'bt_executive', command),
                    *folder,
                    *options,
                ],
                stdin=subprocess.PIPE if stdin is None else stdin,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, 'ROS_DOMAIN_ID': str(self.domain), 'COLUMNS': '200'},
            )

    @property
    def output(self) -> str:
        """Everything that was printed so far; the last character may be half written."""
        return self._output.read_text(encoding='utf-8', errors='replace')

    def write(self, text: str) -> None:
        """Types something."""
        known(self.process.stdin).write(text.encode())
        known(self.process.stdin).flush()

    def wait_for_event(
        self, seconds: float = START_LIMIT_S, count: int = 1, **fields: Any
    ) -> dict[str, Any]:
        """Waits for an event with these fields."""

        def found() -> bool:
            ended = self.process.poll() is not None
            happened = len(self.events(**fields)) >= count
            assert happened or not ended, f'ended early:\n{self.output}'
            return happened

        wait_until(
            found, lambda: f'an event with {fields}; so far:\n{self.output}', seconds, LOOK_S
        )
        return self.events(**fields)[count - 1]

    def wait_for_output(self, words: str, seconds: float = START_LIMIT_S) -> None:
        """Waits until something was printed."""
        wait_until(
            lambda: words in self.output,
            lambda: f'{words!r} in:\n{self.output}',
            seconds,
            LOOK_S,
        )

    def wait_for_rover(self) -> None:
        """Waits until the rover's processes are there: what is asked before may be refused."""
        logs = self.run_dir / 'logs'

        def ready() -> bool:
            assert self.process.poll() is None, f'ended early:\n{self.output}'
            found = [path for name in OF_ROVER if (path := logs / f'{name}.log').exists()]
            texts = [path.read_text(encoding='utf-8', errors='replace') for path in found]
            started = (logs / 'executive.log').exists()  # the last of these
            return started and all(': Ready' in text for text in texts)

        wait_until(ready, 'the rover is ready', START_LIMIT_S, LOOK_S)

    def close_mast(self) -> None:
        """Until the mast is closed, and a stop before is confirmed: its guards wait for that.

        A rover whose parts have not found each other moves nothing, and that is reported; on a
        busy machine they may take seconds after all are ready.
        """
        self.wait_until_it_stands()
        for _ in range(TIMES_ASKED):
            asked = len(self.goal_ends())
            self.write(':mast_close\n')
            end = self._end_of_goal(asked)
            if end['succeeded']:
                return
        raise AssertionError(f'the mast is not closed:\n{self.output}')

    def _end_of_goal(self, before: int) -> dict[str, Any]:
        """Waits for the end of a goal, when `before` others have ended."""
        wait_until(
            lambda: len(self.goal_ends()) > before,
            lambda: f'the end of a goal; so far:\n{self.output}',
            START_LIMIT_S,
            LOOK_S,
        )
        return self.goal_ends()[before]

    def wait_until_it_stands(self) -> None:
        """Asks for the status until it has a place and says that the rover stands.

        Right after the first pose nothing shows that it does, and what is asked for then is
        refused; see `seen_to_stand`.
        """
        asked = 0

        def stands() -> bool:
            nonlocal asked
            *_, latest = answers = self.output.split('variant ')
            known_of_it = latest.partition('none or not known')[0]  # what is missing is named, too
            if asked and 'rover x' in known_of_it and 'at rest' in known_of_it:
                return True
            lost = sum(map(self.output.count, NOT_ANSWERED))
            if len(answers) - 1 + lost >= asked:
                self.write(':status\n')
                asked += 1
            return False

        wait_until(stands, lambda: f'it stands:\n{self.output}', START_LIMIT_S, LOOK_S)

    def processes(self) -> dict[str, psutil.Process]:
        """The node processes of this run that are alive, by module."""
        found = {}
        for process in psutil.process_iter(['cmdline', 'status']):
            words = process.info['cmdline'] or []
            mine = str(self.run_dir) in words and words[1:2] == ['-m']
            if mine and process.pid != self.process.pid:
                found[words[2].split('.')[-1]] = process
        return found

    def kill(self, module: str) -> float:
        """kill -9 of one node; returns the steady time of it."""
        pid = self.processes()[module].pid
        killed = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        return killed

    def finish(self, seconds: float = END_LIMIT_S) -> int:
        """Waits for the end; returns the exit code. No process may be left."""
        try:
            code = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f'no end within {seconds:.0f} s:\n{self.output}') from None
        wait_until(
            lambda: not self.processes(), 'every process of the run has ended', look_s=LOOK_S
        )
        return code


@pytest.fixture(scope='session')
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """`bt-executive` for others to start; with `FORKED` in the environment it is forked."""
    file = tmp_path_factory.mktemp('program') / 'bt-executive'
    ForkedProgram(file, 'bt_executive')
    return str(file)


@contextmanager
def starting(folder: Path) -> Iterator[Callable[..., Run]]:
    """Gives what starts a command; whatever is left at the end is killed.

    `whole`: with everything that a user has (`WHOLE`); else without what costs much (`LEAN`), but
    with a navigator if it `navigates`. `bare`: as it is given, for a robot that is no rover.
    Simulated time passes as real time does: a faster one takes all the processor time there is,
    from the tests beside it as well.
    """
    runs: list[Run] = []

    def begin(
        *arguments: str,
        stdin: Any = None,
        domain: int | None = None,
        whole: bool = False,
        navigates: bool = False,
        bare: bool = False,
    ) -> Run:
        command, *options = arguments
        parts = WHOLE if whole else NAVIGATING if navigates else LEAN
        if command != 'console' and not bare:  # it visits a system that somebody else has started
            options = [*parts, *options]
        run = Run(folder / f'run{len(runs)}', [command, *options], stdin, domain)
        runs.append(run)
        return run

    yield begin
    for run in runs:
        if run.process.poll() is None:
            run.process.kill()
        for process in run.processes().values():
            process.kill()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    """Starts a command; see `starting`."""
    with starting(tmp_path) as begin:
        yield begin


@pytest.fixture(scope='module')
def start_for_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Run]]:
    """Starts what all tests of a module use; see `starting`."""
    folder = tmp_path_factory.mktemp('system')
    with pytest.MonkeyPatch.context() as patch, starting(folder) as begin:
        patch.setenv('XDG_STATE_HOME', str(folder / 'state'))  # else of all modules of a process
        yield begin
