"""Opens the SQLite file of a memory: checks its program and version, and creates its tables."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
import sqlite3

from rover_common.errors import MemoryStoreError

APPLICATION_ID = int.from_bytes(b'btem', 'big')
VERSION = 2
# A file of version 1 has levels in its index of places, so every insert read much of it.
FROM_VERSION_1 = """
CREATE INDEX IF NOT EXISTS nodes_by_x ON nodes (level, x, y);
DROP TABLE places;
CREATE VIRTUAL TABLE places USING rtree (nid, min_x, max_x, min_y, max_y, min_z, max_z);
INSERT INTO places SELECT nid, x, x, y, y, z, z FROM nodes
"""
BUSY_S = 5.0  # timeout for a lock of another process
FILE_ERRORS = (sqlite3.Error, UnicodeDecodeError, OverflowError)
ELSEWHERE = 'or name another file with memory.store'


def open_file(path: Path) -> sqlite3.Connection:
    """Open a file, which is created if it does not exist.

    Raises:
        MemoryStoreError: It cannot be opened, is of another program, damaged or of a newer
            version. The file is not changed then.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.Error) as error:
        raise _fault(path, str(error), f'make file and folder writable, {ELSEWHERE}') from None
    try:
        _set_up(connection, path)
    except FILE_ERRORS as error:
        connection.close()
        raise _fault(path, str(error), f'move it away, {ELSEWHERE}') from None
    except MemoryStoreError:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute('PRAGMA application_id').fetchone()
    (version,) = connection.execute('PRAGMA user_version').fetchone()
    (tables,) = connection.execute('SELECT count(*) FROM sqlite_master').fetchone()
    if tables and application != APPLICATION_ID:
        raise _fault(path, 'it is the file of another program', f'move it away, {ELSEWHERE}')
    if version > VERSION:
        why = f'its version is {version}, this program knows those up to {VERSION}'
        raise _fault(path, why, 'start the version that wrote it')
    connection.execute('PRAGMA journal_mode = WAL')
    # Observations repeat: a power loss may lose the last seconds, but never damages the file.
    connection.execute('PRAGMA synchronous = NORMAL')
    connection.execute('PRAGMA cache_size = -32000')
    if not tables:
        schema = (files('embodied_nav.store') / 'schema.sql').read_text(encoding='utf-8')
        _change(connection, f'{schema}; PRAGMA application_id = {APPLICATION_ID}')
    elif version < VERSION:
        _change(connection, FROM_VERSION_1)


def _change(connection: sqlite3.Connection, script: str) -> None:
    """Run a script atomically."""
    connection.executescript(
        f'BEGIN IMMEDIATE; {script}; PRAGMA user_version = {VERSION}; COMMIT;'
    )


def _fault(path: Path, why: str, remedy: str) -> MemoryStoreError:
    return MemoryStoreError(f'The memory {str(path)!r} cannot be used ({why}): {remedy}.')
