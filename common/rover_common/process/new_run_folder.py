"""A new run: its folder, whose name is the run's id, and when it began.

A run writes files of fixed names and replaces those of the run before it, whole configurations
too. So it takes a folder that is new, empty or one of its own alone; a file marks these.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from datetime import datetime
import fcntl
from itertools import count
import math
from pathlib import Path
from typing import TextIO

from rover_common.errors import UsageError

RUN_START_VARIABLE = 'BT_EXECUTIVE_RUN_BEGAN'


def export_run_start(environment: MutableMapping[str, str], began: float) -> None:
    """Passes on when the run began, in system s: all that is shown of it counts from there."""
    environment[RUN_START_VARIABLE] = f'{began:.3f}'


def run_start(environment: Mapping[str, str]) -> float | None:
    """Return when the run of this process began, in system s; None: not set."""
    try:
        began = float(environment.get(RUN_START_VARIABLE, ''))
    except ValueError:
        return None
    return began if math.isfinite(began) and began > 0.0 else None


RUNS = Path('runs')  # below the working folder
MARK = '.bt_executive-run'
MARKED = 'A run folder of bt_executive; the next run in it replaces its files.\n'
# By these a folder is known that an earlier version has written, without a mark.
EARLIER_FILE, EARLIER_BEGIN = 'trace.jsonl', b'{"schema":"bt_executive.trace"'


def make_run_folder(wanted: Path | None = None) -> Path:
    """Make the folder `wanted`, or a new `runs/<time>`, and mark it; return it.

    A folder that is there already is taken if it is empty or has the mark.

    Raises:
        UsageError: It cannot be made or written, or it holds what is not of a run: then nothing
            in it was touched.
    """
    try:
        if wanted is None:
            folder = _make_fresh_folder(RUNS, datetime.now().strftime('%Y%m%d-%H%M%S'))
        else:
            folder = wanted
            folder.mkdir(parents=True, exist_ok=True)
            _check_marked(folder)
        _mark(folder)
    except OSError as error:
        raise UsageError(
            f'Run folder {str(wanted or RUNS)!r} cannot be made ({error.strerror}): name another '
            'one with --run-dir DIR.'
        ) from None
    return folder


def claim_run_folder(folder: Path) -> TextIO:
    """Claims a run folder for a whole system; holds as long as the returned file is open.

    Raises:
        UsageError: Another system writes there.
    """
    file = (folder / MARK).open(encoding='utf-8')
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise UsageError(
            f'Another run is being written to {str(folder)!r}: name another folder with '
            '--run-dir DIR, or end that run.'
        ) from None
    except OSError:  # some network file systems lock no files
        pass
    return file


def _check_marked(folder: Path) -> None:
    found = sorted(folder.iterdir())
    link = next((each for each in found if each.is_symlink()), None)
    if link is not None:
        raise UsageError(
            f'Run folder {str(folder)!r} has the link {link.name!r}, and a run would write where '
            'it points: name a new folder with --run-dir DIR.'
        )
    if found and not _is_marked(folder):
        raise UsageError(
            f'{str(folder)!r} is no run folder and not empty (it has {found[0].name!r}): a run '
            'would replace files in it. Name a new folder with --run-dir DIR.'
        )


def _is_marked(folder: Path) -> bool:
    if (folder / MARK).is_file():
        return True
    earlier = folder / EARLIER_FILE
    if not earlier.is_file():
        return False
    with earlier.open('rb') as file:
        return file.read(len(EARLIER_BEGIN)) == EARLIER_BEGIN


def _mark(folder: Path) -> None:
    """Marks a folder; also finds out whether files can be written there."""
    with (folder / MARK).open('r+' if (folder / MARK).exists() else 'w', encoding='utf-8') as file:
        file.write(MARKED)


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
