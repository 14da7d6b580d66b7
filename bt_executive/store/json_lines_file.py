"""A file that grows by lines of JSON and may end at any moment.

Every line is one write to the operating system, so what was written outlives a `kill -9` of the
process. A line that was torn by one is closed when the next process continues the file.
"""

from __future__ import annotations

from collections.abc import Callable
import errno
import io
import os
from pathlib import Path

MEGABYTE = 1_000_000


class LineFile:
    """Appends lines; made with its folder when the first line comes.

    Args:
        header: The first line of this process.
        max_mb: Size at which the file is ended, in megabytes, earlier processes included.
        tell: Takes one sentence when the file is ended before its time.
    """

    def __init__(
        self, path: Path, header: str, max_mb: float, tell: Callable[[str], None]
    ) -> None:
        self._path = path
        self._header = header
        self._max_bytes = int(max_mb * MEGABYTE)
        self._tell = tell
        self._size = 0
        self._file: io.FileIO | None = None
        self._ended = False

    def write(self, line: str) -> None:
        """Appends one line. A full disk, or a full file, ends this file and nothing else."""
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

    def _end(self, what: str) -> None:
        self.close()
        self._tell(f'{self._path} {what}.')
