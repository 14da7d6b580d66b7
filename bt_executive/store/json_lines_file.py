"""A file of JSON lines that survives a kill: appended line by line, up to a maximum size.

Every line is one write to the operating system, so it survives a `kill -9` of the process. The
next process that continues the file terminates a torn line.
"""

from __future__ import annotations

from collections.abc import Callable
import errno
import io
import os
from pathlib import Path

MEGABYTE = 1_000_000


class JsonLinesFile:
    """Appends lines. The first line creates the file and its folder.

    Args:
        header: The first line of this process.
        max_mb: Maximum size in megabytes, including the lines of earlier processes.
        report: Called with a sentence when the file is ended early.
    """

    def __init__(
        self, path: Path, header: str, max_mb: float, report: Callable[[str], None]
    ) -> None:
        self._path = path
        self._header = header
        self._max_bytes = int(max_mb * MEGABYTE)
        self._report = report
        self._size = 0
        self._file: io.FileIO | None = None
        self._ended = False

    def write(self, line: str) -> None:
        """Appends a line. A full disk, or the maximum size, ends this file only."""
        if self._ended:
            return
        try:
            self._append(self._file or self._open(), line)
        except OSError as error:
            self._end(f'cannot be written ({error.strerror}); the run continues without it')

    def close(self) -> None:
        """Closes the file."""
        self._ended = True
        if self._file is not None:
            self._file.close()

    def _open(self) -> io.FileIO:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = file = io.FileIO(self._path, 'a+')
        self._size = file.seek(0, os.SEEK_END)
        if self._size:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b'\n':
                self._append(file, '')
        self._append(file, self._header)
        return file

    def _append(self, file: io.FileIO, line: str) -> None:
        if self._ended:  # by a line before it that the same `write` has to write first
            return
        data = line.encode('utf-8', 'replace') + b'\n'
        if self._size + len(data) > self._max_bytes:
            self._end(
                f'has reached {self._max_bytes / MEGABYTE:g} MB and is ended; raise '
                'recording.max_file_mb to keep more'
            )
            return
        written = file.write(data)
        self._size += written or 0
        if written != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _end(self, reason: str) -> None:
        self.close()
        self._report(f'{self._path} {reason}.')
