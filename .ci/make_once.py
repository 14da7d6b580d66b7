"""Makes a file of the Makefile, unless another `make` of this folder has made it meanwhile.

make_once.py [--title TITLE] TARGET PREREQUISITE... -- COMMAND...

Two at once would delete, or write, the same files of .venv. The lock is that of the repository's
folder, so no file is left over. The command has it, too: whatever ends this script, another `make`
waits until the command has ended.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
import os
from pathlib import Path
import signal
import subprocess
import sys

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'common'))

from rover_common.wheels.running_commands import (  # noqa: E402
    INTERRUPTED,
    Progress,
    wait_for_lock,
)


def main() -> int:
    """Run the command line; return the exit code."""
    divide = sys.argv.index('--')
    parser = ArgumentParser()
    parser.add_argument('--title', default='', help='said as long as a silent command runs')
    parser.add_argument('target', type=Path)
    parser.add_argument('prerequisites', type=Path, nargs='*')
    options = parser.parse_args(sys.argv[1:divide])
    with _folder(ROOT) as folder:
        # Some network file systems lock no folders: there, no process waits.
        with Progress() as progress, suppress(OSError):
            wait_for_lock(folder, progress, 'make in this folder')
        if is_made(options.target, options.prerequisites):
            return 0
        code = _run(sys.argv[divide + 1 :], options.title, folder)
        if code == 0:
            options.target.parent.mkdir(parents=True, exist_ok=True)
            options.target.touch()
    return code


def is_made(target: Path, prerequisites: Sequence[Path]) -> bool:
    """Whether Make would leave this file as it is."""
    if not target.exists():
        return False
    made = target.stat().st_mtime_ns
    return all(each.stat().st_mtime_ns <= made for each in prerequisites)


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    opened = os.open(path, os.O_RDONLY)
    try:
        yield opened
    finally:
        os.close(opened)


def _run(command: Sequence[str], title: str, lock: int) -> int:
    """Runs a command, which has the lock as well; a signal that ends this script ends it."""
    with subprocess.Popen(command, pass_fds=[lock]) as process:
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        try:
            if not title:
                return process.wait()
            with Progress() as progress, progress.task(title):
                return process.wait()
        except KeyboardInterrupt:  # the command has got it, too
            process.wait()
            raise


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
