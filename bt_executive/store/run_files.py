"""Reads the files of a run folder, which may be damaged or come from anybody."""

from __future__ import annotations

import errno
import os
from pathlib import Path
import stat

from bt_executive.store.run_folder_formats import TRACE_FILE
from rover_common.errors import RecordingError

MAX_BYTES = 2_000_000_000  # ten times the default limit of a file


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
