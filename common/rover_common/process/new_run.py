"""The folder of a new run. Its name is the run's id, and names the run in every log line."""

from __future__ import annotations

from datetime import datetime
from itertools import count
from pathlib import Path

from rover_common.errors import UsageError

RUNS = Path('runs')  # below the working folder


def make_run_folder(wanted: Path | None = None) -> Path:
    """Makes the folder `wanted`, which may exist, or a fresh `runs/<time>`; returns it.

    Raises:
        UsageError: It cannot be made.
    """
    try:
        if wanted is None:
            return _make_fresh_folder(RUNS, datetime.now().strftime('%Y%m%d-%H%M%S'))
        wanted.mkdir(parents=True, exist_ok=True)
        return wanted
    except OSError as error:
        raise UsageError(
            f'Run folder {str(wanted or RUNS)!r} cannot be made ({error.strerror}): name another '
            'one with --run-dir DIR.'
        ) from None


def _make_fresh_folder(parent: Path, name: str) -> Path:
    """Two runs may start within one second."""
    parent.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        folder = parent / (name if number == 1 else f'{name}-{number}')
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise AssertionError('count never ends')
