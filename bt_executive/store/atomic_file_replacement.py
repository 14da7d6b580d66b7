"""Replaces a file atomically: whenever the process ends, it has the old content or the new one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file, and creates its folder; a reader sees the old content or the new one.

    Raises:
        OSError: It cannot be written; the error names the file.
    """
    new = path.with_name(path.name + '.new')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(data)
        new.replace(path)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None
