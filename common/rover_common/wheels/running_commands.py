"""Runs commands and prints their progress, at least every QUIET_S."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
import fcntl
from pathlib import Path
import re
import signal
import subprocess
import sys
import threading
import time
from typing import TextIO

from rover_common.process.threads import make_thread

QUIET_S = 2.0
INTERRUPTED = 128 + signal.SIGINT  # exit code, as a shell gives it
WIDTH = 100  # of a line about what is running
LAST_LINES = 30  # of the log of a command that failed
# Lines of uv, pip, CMake and ninja for each step; their other lines are of no interest.
STEPS = re.compile(
    r'\s*((Collecting|Downloading|Using cached|Building|Installing collected)\b.*'
    r'|(Resolved|Prepared|Installed) \d+ packages.*'
    r'|Compiling .*|\[\d+/\d+\] .*)'
)
LONG = re.compile(r'(?<=Installing collected packages:).*|\(from .*|CMakeFiles/\S+/')

PASSWORD = re.compile(r'(?<=://)[^\s/@]+(?=@)')  # with the user's name, in a URL


class CommandError(Exception):
    """A command could not be started, or ended with another code than 0."""


class Progress:
    """Prints a line about all running tasks from time to time. Thread-safe.

    A context manager: the lines are printed within its block.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._tasks: dict[str, str] = {}
        self._printed_at = self._began
        self._ended = threading.Event()
        # A line that cannot be printed stops no task.
        self._thread = make_thread(self._remind, 'progress', lambda _: None)

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def print_line(self, text: str) -> None:
        """Print a line with the seconds since the start."""
        with self._lock:
            self._printed_at = time.monotonic()
            print(f'{self._printed_at - self._began:5.0f} s  {text}', flush=True)

    @contextmanager
    def task(self, title: str) -> Iterator[None]:
        """A task that the lines report while the block runs."""
        self._tasks[title] = ''
        try:
            yield
        finally:
            self._tasks.pop(title)

    def run(
        self, title: str, command: Sequence[object], log: Path, environment: Mapping[str, str]
    ) -> None:
        """Run a command, with its output in a file, without the passwords of URLs.

        Raises:
            CommandError: It cannot be started, or failed; the reason has been printed. Or the
                set-up has ended, by Ctrl-C for example: nothing is started after that.
        """
        if self._ended.is_set():
            raise CommandError(title)
        log.parent.mkdir(parents=True, exist_ok=True)
        with self.task(title), log.open('w', encoding='utf-8') as file:
            ended = self._run(title, command, file, environment)
        if ended:
            self._print_failure(title, ended, log)
            raise CommandError(title)

    def _run(
        self, title: str, command: Sequence[object], file: TextIO, environment: Mapping[str, str]
    ) -> str:
        """Run a command; return how it failed, empty if it did not."""
        try:
            process = subprocess.Popen(
                [str(each) for each in command],
                env=dict(environment),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors='replace',
            )
        except OSError as error:
            file.write(f'{error}\n')
            return 'cannot be started'
        assert process.stdout is not None
        for output in process.stdout:
            line = PASSWORD.sub('****', output)
            file.write(line)
            if step := STEPS.match(line):
                self._tasks[title] = LONG.sub('', step[1]).strip()
        code = process.wait()
        return f'exit code {code}' if code else ''

    def _print_failure(self, title: str, ended: str, log: Path) -> None:
        lines = log.read_text(encoding='utf-8').splitlines()[-LAST_LINES:]
        with self._lock:
            print(f'\n{title}: {ended}. The end of {log}:', file=sys.stderr)
            print('\n'.join(lines), file=sys.stderr, flush=True)

    def _remind(self) -> None:
        while not self._ended.wait(QUIET_S / 4):
            if time.monotonic() - self._printed_at >= QUIET_S:
                what = [f'{title}: {step}' if step else title for title, step in self._now()]
                self.print_line(
                    ' | '.join(f'{each:.{WIDTH // max(1, len(what)) - 3}}' for each in what)
                )

    def _now(self) -> list[tuple[str, str]]:
        return list(self._tasks.items()) or [('working', '')]


def wait_for_lock(file: int, progress: Progress, other: str) -> None:
    """Acquire the lock of an open file or folder; print a line if another process holds it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        progress.print_line(f'Waiting for another {other}')
        with progress.task(f'waiting for the other {other}'):
            fcntl.flock(file, fcntl.LOCK_EX)
