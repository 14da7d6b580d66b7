"""The format of the store's file: application id, version and tables.

`PRAGMA application_id` marks a file as a journal, `PRAGMA user_version` is the version of its
format. SQLite detects damage to the structure of pages, not to their content. So each row has the
CRC-32 of its values, and a row that does not match is reported and not used.
"""

from __future__ import annotations

from collections.abc import Sequence
import os
from pathlib import Path
import sqlite3
from typing import Any
from zlib import crc32

APPLICATION_ID = int.from_bytes(b'btex', 'big')
VERSION = 4
OLDEST_VERSION = 3  # without `runs` and `inputs`; 1 and 2 had a table for each kind of record
TABLES = ('parts', 'trace', 'runs', 'inputs')
# LangGraph has a table `checkpoints` of its own in this file (langgraph_saver.py).
SCHEMA = """
CREATE TABLE parts (
    part TEXT PRIMARY KEY,
    entry INTEGER NOT NULL,     -- counts over all tables, in the order of ticks
    run INTEGER NOT NULL,       -- the executive that wrote it
    ros_s REAL, robot_s REAL, steady_s REAL, system_s REAL,
    value TEXT NOT NULL,        -- JSON
    crc32 INTEGER NOT NULL
);
CREATE TABLE trace (
    entry INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    ros_s REAL, robot_s REAL, steady_s REAL, system_s REAL,
    kind TEXT NOT NULL,
    goal_id TEXT NOT NULL,      -- empty: it belongs to no goal
    goal_end TEXT,              -- the outcome, if it is the end of the goal
    value TEXT NOT NULL,        -- JSON
    crc32 INTEGER NOT NULL
);
CREATE INDEX trace_of_goal ON trace (goal_id, entry);
CREATE INDEX trace_ends ON trace (entry) WHERE goal_end IS NOT NULL;
CREATE INDEX trace_messages ON trace (entry) WHERE kind = 'MESSAGE';
"""
INPUTS_SCHEMA = """
CREATE TABLE runs (             -- whose inputs are here, as a whole
    run INTEGER PRIMARY KEY,
    entry INTEGER NOT NULL,     -- before its first input
    system_s REAL,
    inputs_bytes INTEGER NOT NULL,
    value TEXT NOT NULL,        -- JSON: what it was started with
    crc32 INTEGER NOT NULL
);
CREATE TABLE inputs (           -- what each tick was given, and asked for
    entry INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    ros_s REAL, robot_s REAL, steady_s REAL, system_s REAL,
    event TEXT NOT NULL,
    nth INTEGER NOT NULL,       -- at which call of this kind in the tick
    again INTEGER NOT NULL,     -- 1: it begins a tick at the time of the one before
    value TEXT NOT NULL,        -- JSON
    crc32 INTEGER NOT NULL
);
"""


def checksum(*values: Any) -> int:
    """Return the CRC-32 that guards a row, of all its values but this one."""
    return crc32(ascii(values).encode())  # `repr` escapes what its version of Python does not know


def is_intact(values: Sequence[Any], crc: int) -> bool:
    """Return whether the values of a row have this checksum; the first ones were of `repr`."""
    values = tuple(values)
    if crc == checksum(*values):
        return True
    return crc == crc32(repr(values).encode('utf-8', 'backslashreplace'))


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the file's format."""
    return int(connection.execute('PRAGMA user_version').fetchone()[0])


def create(path: Path) -> None:
    """Creates an empty journal, atomically.

    Raises:
        sqlite3.Error, OSError: It cannot be created.
    """
    new = path.with_name(f'{path.name}.new')
    new.unlink(missing_ok=True)
    connection = sqlite3.connect(new, isolation_level=None)
    try:
        connection.execute('PRAGMA auto_vacuum = INCREMENTAL')  # only before the first page
        connection.execute(f'PRAGMA application_id = {APPLICATION_ID}')
        _set_version(connection, SCHEMA + INPUTS_SCHEMA)
    finally:
        connection.close()
    new.chmod(0o600)
    os.replace(new, path)
    _sync_folder(path.parent)


def migrate(connection: sqlite3.Connection) -> None:
    """Adds the missing tables to a file of version `OLDEST_VERSION`.

    Raises:
        sqlite3.Error: It cannot be done; the file is unchanged.
    """
    _set_version(connection, INPUTS_SCHEMA)


def _set_version(connection: sqlite3.Connection, statements: str) -> None:
    connection.executescript(f'BEGIN; {statements}; PRAGMA user_version = {VERSION}; COMMIT;')


def set_aside(path: Path) -> None:
    """Renames a file and SQLite's log, as far as they exist, so that a new one can be created.

    Raises:
        OSError: It cannot be renamed.
    """
    aside = path.with_name(f'{path.name}.old')
    number = 1
    while any(each.exists() for each in _with_logs(aside)):  # a log fits its own file only
        number += 1
        aside = path.with_name(f'{path.name}.old-{number}')
    for old, new in zip(_with_logs(path), _with_logs(aside), strict=True):
        if old.exists():
            old.replace(new)


def _with_logs(path: Path) -> list[Path]:
    return [path.with_name(f'{path.name}{end}') for end in ('-wal', '-shm', '')]


def is_empty(path: Path) -> bool:
    """Return whether the file and SQLite's write-ahead log beside it are empty."""
    log = path.with_name(f'{path.name}-wal')
    return path.is_file() and not path.stat().st_size and not (log.exists() and log.stat().st_size)


def _sync_folder(folder: Path) -> None:
    """Makes the new name survive a power loss."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
