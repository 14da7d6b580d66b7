"""The shell of somebody who has cloned the repository and run `make`, for commands of docs/."""

from __future__ import annotations

from dataclasses import dataclass
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys

from domains import next_domain
from forked_program import FORKED, ForkedProgram
from late_heartbeats import TRIES, is_late
from once import made_once
from papers import ROOT
import pytest

PACKAGES = ('', 'common', 'adapter', 'sim', 'viz', 'memory', 'vision')
LIMIT_S = 150.0
GONE = shutil.ignore_patterns(
    '.git', '.venv', '.*_cache', '.hypothesis', 'runs', 'build', 'install', 'log'
)


@dataclass(frozen=True)
class Demo:
    """What `make demo` has made: its run folder, and what it printed."""

    run: Path
    printed: str


class Terminal:
    """A command that goes on beside others, in a ROS domain of its own."""

    def __init__(self, command: str, folder: Path, environment: dict[str, str]) -> None:
        self.domain = environment['ROS_DOMAIN_ID']
        self._process = subprocess.Popen(
            ['bash', '-c', command],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )

    def end(self, typed: str) -> None:
        """Types the last words and waits for the end, which must be a good one."""
        self._process.communicate(typed, timeout=LIMIT_S)
        assert self._process.returncode == 0


class ReadersClone:
    """A copy of the repository whose .venv is made, and a shell in it that knows nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT, folder, ignore=GONE, dirs_exist_ok=True)
        self._venv()
        for side in ('width', 'height'):  # small pictures: commands say and do the same
            self.change('config/robot.yaml', f'{side}: 800', f'{side}: 160')

    def change(self, file: str, old: str, new: str) -> None:
        """Edits a file as a reader would; `old` must be there."""
        path = self.folder / file
        text = path.read_text(encoding='utf-8')
        assert old in text, f'{old!r} is not in {file}'
        path.write_text(text.replace(old, new), encoding='utf-8')

    def run(self, command: str, typed: str = '', **environment: str) -> str:
        """Types a command; returns what it printed. It must end well.

        It is typed again if a drive of it ended because the machine was too busy.

        Args:
            typed: What its standard input gives.
            environment: What was exported before. `FORKED`: `bt-executive` is forked.
        """
        for _ in range(TRIES):
            done = subprocess.run(
                ['bash', '-c', command],
                cwd=self.folder,
                env={**self._environment(), **environment},
                input=typed,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=LIMIT_S,
                check=False,
            )
            if done.returncode == 0 or not is_late(done.stdout):
                break
        assert done.returncode == 0, f'{command}\nexit code {done.returncode}:\n{done.stdout}'
        return done.stdout

    def serve(self, command: str) -> str:
        """Types a command that serves until it is interrupted; returns its first line.

        A node ends with 0 when it is asked to end, everything else with 130 (README).
        """
        with subprocess.Popen(
            ['bash', '-c', f'exec {command}'],
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as server:
            assert server.stdout is not None
            line = server.stdout.readline()
            server.send_signal(signal.SIGINT)
            try:
                rest, _ = server.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                server.kill()
                raise
        said = f'{command}: exit code {server.returncode}:\n{line}{rest}'
        assert server.returncode in (0, 130), said
        return line

    def begin(self, command: str) -> Terminal:
        """Types a command in a terminal of its own and lets it run; its program is forked."""
        return Terminal(command, self.folder, self._environment() | FORKED)

    def _venv(self) -> None:
        """The .venv of this Python, whose setup is finished."""
        venv = self.folder / '.venv'
        venv.mkdir()
        for part in Path(sys.prefix).iterdir():
            if part.name not in ('stamps', 'bin'):
                (venv / part.name).symlink_to(part)
        programs = venv / 'bin'
        programs.mkdir()
        for part in (Path(sys.prefix) / 'bin').iterdir():
            (programs / part.name).symlink_to(part)
        program = programs / 'bt-executive'
        from_nothing = [os.readlink(program)]
        program.unlink()
        clone = (str(self.folder), 'bt_executive')
        ForkedProgram(program, 'run_in_clone', *clone, from_nothing=from_nothing)
        stamps = venv / 'stamps'
        stamps.mkdir()
        for name in ('venv', 'demo', 'test'):
            (stamps / name).touch()

    def _environment(self) -> dict[str, str]:
        """A login's: no .venv on the PATH. PYTHONPATH: the .venv knows this folder's packages."""
        packages = os.pathsep.join(str(self.folder / name) for name in PACKAGES)
        kept = (
            *('HOME', 'LANG', 'TMPDIR', 'BT_EXECUTIVE_LOOPBACK_ONLY'),
            *('OPENBLAS_NUM_THREADS', 'PYDANTIC_DISABLE_PLUGINS'),  # as in test/conftest.py
        )
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            'PATH': '/usr/local/bin:/usr/bin:/bin',
            'PYTHONPATH': packages,
            'ROS_DOMAIN_ID': str(next_domain()),
            'COLUMNS': '200',
        }


def demo_of_the_reader(factory: pytest.TempPathFactory, testrun_uid: str) -> Demo:
    """Types `make demo` in a clone, once for all processes of the suite."""

    def make(folder: Path) -> None:
        clone = ReadersClone(folder / 'clone')
        for _ in range(TRIES):
            printed = clone.run('make demo')
            if not is_late(printed):  # else it is not the demo that a page shows
                break
        (clone.folder / 'runs').rename(folder / 'runs')
        shutil.rmtree(clone.folder)
        (folder / 'printed').write_text(printed, encoding='utf-8')

    folder = made_once('demo', make, factory, testrun_uid)
    *_, run = sorted((folder / 'runs').iterdir())  # the latest
    return Demo(run, (folder / 'printed').read_text(encoding='utf-8'))
