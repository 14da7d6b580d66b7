"""Reads the files of a run folder, which may be damaged or come from anybody.

Of JSON lines the versions are checked; torn lines are reported and skipped.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass, field
import errno
import os
from pathlib import Path
import stat
from typing import Any, TypeAlias

from pydantic import ValidationError

from bt_executive.store.run_folder_formats import TRACE_FILE, VERSIONS, Header
from rover_common.errors import RecordingError
from rover_common.json_values import read_json

MAX_BYTES = 2_000_000_000  # ten times the default limit of a file
SEE_REPORT = '`bt-executive report` shows what can still be read.'


def find_trace(folder: Path) -> Path:
    """Return the trace of a run folder.

    Raises:
        RecordingError: It is not a run folder.
    """
    path = folder / TRACE_FILE
    if not folder.is_dir():
        raise RecordingError(
            f'{str(folder)!r} is not a folder: name one such as runs/20260101-120000.'
        )
    if not path.is_file():
        raise RecordingError(
            f'{str(folder)!r} is not a run folder: it has no {TRACE_FILE}. Runs are written to '
            'runs/<time>, or where --run-dir said.'
        )
    return path


def read_run_file(path: Path) -> bytes:
    """Read a regular file. Opening others, such as a FIFO, would block.

    Raises:
        OSError: It cannot be read, is no regular file, or is too large.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, 'rb') as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, 'it is not a regular file', str(path))
        if status.st_size > MAX_BYTES:
            size = f'it has {status.st_size / 1e9:.1f} GB, more than {MAX_BYTES / 1e9:g} GB'
            raise OSError(errno.EFBIG, size, str(path))
        return file.read()


@dataclass
class ProcessLines:
    """The lines of one process of the executive in a file.

    Attributes:
        header: Unchecked.
        numbers: The line number of each entry, or the number of its row.
        torn: Line numbers that could not be read.
        source: The unit of the numbers, such as `/runs/1/inbox.jsonl, line`.
    """

    header: dict[str, Any]
    entries: list[dict[str, Any]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    torn: list[int] = field(default_factory=list)
    source: str = ''

    @property
    def damaged(self) -> int | None:
        """The first torn line that others follow: it was not torn by the end of the process."""
        last = max(self.numbers, default=0)
        return next((number for number in self.torn if number < last), None)


def check_whole(process: ProcessLines) -> None:
    """Checks that no line is missing before the last one.

    Raises:
        RecordingError: One is; the message names the file and the line.
    """
    if process.damaged is not None:
        raise RecordingError(
            f'{process.source} {process.damaged}: no whole JSON object, and lines follow it: the '
            f'file is damaged, so the run cannot be replayed. {SEE_REPORT}'
        )


@dataclass
class Lines:
    """The processes of a file, oldest first, and sentences about what could not be read."""

    processes: list[ProcessLines] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


Trim: TypeAlias = Callable[[dict[str, Any]], None]


def keep_all(_: dict[str, Any]) -> None:
    """Remove nothing from an entry."""


def read_lines(path: Path, name: str, trim: Trim = keep_all) -> Lines:
    """Reads a file of the format `name` (a key of `run_folder_formats.VERSIONS`).

    `trim` removes from each entry what the caller does not need: a long run is large in memory. An
    entry of which nothing is left is not in the result.

    Raises:
        RecordingError: The file cannot be opened, has another format, or another major version.
    """
    try:
        rows = read_run_file(path).removeprefix(BOM_UTF8).split(b'\n')
    except OSError as error:
        raise RecordingError(
            f'{path} cannot be read ({error.strerror}): put a readable file there.'
        ) from None
    lines = Lines()
    is_complete = not rows.pop()  # the rest after the last line break
    rows.reverse()
    for number in range(1, len(rows) + 1):
        _read_row(lines, rows.pop(), number, path, name, trim)
    if not is_complete:
        lines.notes.append(
            f'{path.name}: the last line was torn, as by a kill or a full disk; it is left out.'
        )
    return lines


def _read_row(
    lines: Lines,
    row: bytes,
    number: int,
    path: Path,
    name: str,
    trim: Trim,
) -> None:
    try:
        entry = read_json(row.decode())
    except ValueError:
        _tear(lines, number, f'{path.name}, line {number}: no whole JSON object, as after a kill')
        return
    if not isinstance(entry, dict):
        _tear(lines, number, f'{path.name}, line {number}: not a JSON object')
    elif 'schema' in entry:
        _check(entry, path, name)
        lines.processes.append(ProcessLines(entry, source=f'{path}, line'))
    elif lines.processes:
        trim(entry)
        if entry:
            lines.processes[-1].entries.append(entry)
            lines.processes[-1].numbers.append(number)
    else:
        raise RecordingError(
            f'{path} has no header line that can be read: it is damaged, or an older bt_executive '
            'wrote it. Put an intact copy there.'
        )


def _tear(lines: Lines, number: int, sentence: str) -> None:
    lines.notes.append(f'{sentence}; it is left out.')
    if lines.processes:
        lines.processes[-1].torn.append(number)


def _check(entry: dict[str, Any], path: Path, name: str) -> None:
    try:
        header = Header.model_validate(entry)
    except ValidationError:
        raise RecordingError(
            f'{path}: the header line is damaged: {entry!r:.200}. Put an intact copy there.'
        ) from None
    if header.format != name:
        raise RecordingError(
            f'{path} holds {header.format!r:.80}, expected {name!r}: put the right file there.'
        )
    major = VERSIONS[name].split('.')[0]
    if header.version.split('.')[0] != major:
        raise RecordingError(
            f'{path} has version {header.version} of {name!r}; this bt_executive reads version '
            f'{major}. Use the bt_executive that wrote it, see run.json.'
        )
