"""The file's format: whose it is, which version it has, how an older one is brought up to date.

`PRAGMA application_id` marks a file as ours, `PRAGMA user_version` is the number of the latest
migration that it has seen. A migration is a numbered SQL file; it takes effect as a whole or not
at all, and is never changed once it was released.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
import os
from pathlib import Path
import sqlite3
import stat
from typing import Any
from zlib import crc32

APPLICATION_ID = int.from_bytes(b'btex', 'big')
MAGIC = b'SQLite format 3\0'
HEADER_BYTES = 100  # SQLite's own, at the beginning of the first page
APPLICATION_AT = slice(68, 72)  # in the header
PACKAGE = 'bt_executive.journal'


def migrations() -> tuple[str, ...]:
    """The SQL of all migrations, the first one first."""
    folder = files(PACKAGE) / 'migrations'
    scripts = sorted(
        (each for each in folder.iterdir() if each.name.endswith('.sql')),
        key=lambda each: each.name,
    )
    return tuple(each.read_text(encoding='utf-8') for each in scripts)


def checksum(table: str, *values: Any) -> int:
    """Return the CRC-32 that guards a row, of all its values but this one."""
    return crc32(repr((table, values)).encode('utf-8', 'backslashreplace'))


def version_of(connection: sqlite3.Connection) -> int:
    """The number of the latest migration that the file has seen."""
    return int(connection.execute('PRAGMA user_version').fetchone()[0])


def migrate(connection: sqlite3.Connection, scripts: Sequence[str]) -> None:
    """Brings the file up to the latest version, one migration per transaction.

    A migration that changes rows enters their checksums anew, by the function `checksum`.

    Raises:
        sqlite3.Error: A migration failed; the file is as it was before that migration.
    """
    connection.create_function('checksum', -1, checksum, deterministic=True)
    for number in range(version_of(connection) + 1, len(scripts) + 1):
        try:
            connection.executescript(
                f'BEGIN IMMEDIATE; {scripts[number - 1]}; PRAGMA user_version = {number}; COMMIT;'
            )
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute('ROLLBACK')
            raise


def create(path: Path, scripts: Sequence[str]) -> None:
    """Makes an empty journal. It appears whole or not at all, whatever ends this process.

    Raises:
        sqlite3.Error, OSError: It cannot be made.
    """
    new = path.with_name(f'{path.name}.new')
    new.unlink(missing_ok=True)
    connection = sqlite3.connect(new, isolation_level=None)
    try:
        connection.execute('PRAGMA auto_vacuum = INCREMENTAL')  # only before the first page
        connection.execute(f'PRAGMA application_id = {APPLICATION_ID}')
        migrate(connection, scripts)
    finally:
        connection.close()
    new.chmod(0o600)
    os.replace(new, path)
    _sync_folder(path.parent)


def is_ours(path: Path) -> bool:
    """Whether the file is marked as a journal. Reads its header only; nothing is touched.

    Never while this process has the file open: its closing here would take SQLite's locks away
    (https://sqlite.org/howtocorrupt.html, 2.2), and another program could remove the log.

    Raises:
        OSError: It cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):  # to open a FIFO is to wait for its other end
        return False
    with path.open('rb') as file:
        header = file.read(HEADER_BYTES)
    ours = APPLICATION_ID.to_bytes(4, 'big')
    return header.startswith(MAGIC) and header[APPLICATION_AT] == ours


def is_empty(path: Path) -> bool:
    """Whether there is nothing in the file, nor in SQLite's log of changes beside it."""
    log = path.with_name(f'{path.name}-wal')
    return path.is_file() and not path.stat().st_size and not (log.exists() and log.stat().st_size)


def _sync_folder(folder: Path) -> None:
    """Makes the new name outlive a power loss."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
