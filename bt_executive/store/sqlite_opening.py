"""Opens a journal's file: for writing with every check, for reading without a trace."""

from __future__ import annotations

import os
from pathlib import Path
import sqlite3
from urllib.parse import quote

from bt_executive.core.store_port import StoreCode, StoreFault
from bt_executive.store.journal_location import without_links
from bt_executive.store.sqlite_errors import FILE_ERRORS, code_of, fault, fault_of
from bt_executive.store.store_schema import (
    SINCE,
    VERSION,
    create,
    is_empty,
    is_journal,
    is_older,
    migrate,
    set_aside,
    version_of,
)
from rover_common.errors import JournalError
from rover_common.printable import one_line

BUSY_S = 5.0  # so long a lock of another process is waited for
WAL_BYTES = 4_000_000  # to which the log of changes is cut after it was larger
CHECKED = 5  # faults of the file that are told


def open_for_writing(path: Path) -> sqlite3.Connection | StoreFault:
    """Open the journal, made if it is missing; or return why it cannot be used.

    A file that is not ours, damaged, or of a newer version is left as it is; one of an older
    version is migrated, or, before version `SINCE`, set aside: nothing of it is resumed.
    """
    found = _make_ready(path)
    if found is not None:
        return found
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        found = _unusable(connection, path)
        if found is None:
            _set_up(connection)
            if version_of(connection) < VERSION:
                migrate(connection)
    except FILE_ERRORS as error:
        found = fault_of(path, error)
    if found is not None:
        connection.close()
        return found
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """The journal, read-only, also while an executive writes it. Creates nothing.

    Raises:
        JournalError: It is missing, not ours, damaged or of another version.
    """
    path = without_links(path)
    try:
        if is_empty(path):
            raise JournalError(
                f'The journal {str(path)!r} is empty: nothing was kept in it so far.'
            )
        if not is_journal(path):
            raise JournalError(f'{str(path)!r} is not a journal of bt-executive.')
    except OSError as error:
        raise JournalError(
            f'The journal {str(path)!r} cannot be read ({error.strerror}): name another one '
            'with --journal FILE.'
        ) from None
    try:
        connection = sqlite3.connect(
            _address(path), uri=True, isolation_level=None, timeout=BUSY_S
        )
        connection.execute('BEGIN')  # all that follows sees one moment
        version = version_of(connection)
    except FILE_ERRORS as error:
        raise JournalError(f'The journal {str(path)!r} cannot be read ({error}).') from None
    if not SINCE <= version <= VERSION:
        connection.close()
        raise JournalError(_other_version(path, version).sentence)
    return connection


def find_damage(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the file, the first few; empty: nothing.

    All of it, indices too: a wrong index would hide a call that is still under way.

    Raises:
        sqlite3.Error: It cannot be looked at, for example because it is locked.
    """
    try:
        found = connection.execute(f'PRAGMA integrity_check({CHECKED})').fetchall()
    except FILE_ERRORS as error:
        if code_of(error) is not StoreCode.DAMAGED:
            raise
        return [str(error)]
    return [str(row[0]) for row in found if row[0] != 'ok']


def _make_ready(path: Path) -> StoreFault | None:
    """Makes the file if there is none; says why it cannot be used."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        return fault(StoreCode.NO_FOLDER, path, error.strerror or str(error))
    try:
        if path.is_file() and path.stat().st_size and is_older(path):
            set_aside(path)
        if not path.exists() or is_empty(path):
            create(path)
        elif not path.is_file():
            return fault(StoreCode.FOREIGN, path, 'it is no file')
        elif not path.stat().st_size:
            return fault(StoreCode.DAMAGED, path, 'it is empty, and its log of changes is not')
        elif not is_journal(path):
            return fault(StoreCode.FOREIGN, path, 'it is the file of another program')
    except (*FILE_ERRORS, OSError) as error:
        return fault_of(path, error)
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return None if writable else fault(StoreCode.NOT_WRITABLE, path, 'it is read-only')


def _unusable(connection: sqlite3.Connection, path: Path) -> StoreFault | None:
    version = version_of(connection)
    if version < 1:
        return fault(StoreCode.DAMAGED, path, f'its version is {version}')
    if not SINCE <= version <= VERSION:
        return _other_version(path, version)
    damage = find_damage(connection)
    return fault(StoreCode.DAMAGED, path, one_line(damage[0])) if damage else None


def _set_up(connection: sqlite3.Connection) -> None:
    """WAL: readers do not wait for the writer, nor it for them.

    FULL: each commit is on disk when it returns. With NORMAL, the default of many, a power loss
    takes back the latest commits, and a call that was sent after one of them would be sent again.
    """
    (mode,) = connection.execute('PRAGMA journal_mode = WAL').fetchone()
    if mode != 'wal':  # some network file systems cannot share memory
        raise sqlite3.OperationalError(f'unable to open it in WAL mode, only in {mode}')
    connection.execute('PRAGMA synchronous = FULL')
    connection.execute(f'PRAGMA journal_size_limit = {WAL_BYTES}')


def _other_version(path: Path, version: int) -> StoreFault:
    why = f'its version is {version}, this program knows {VERSION}'
    return fault(StoreCode.OTHER_VERSION, path, why)


def _address(path: Path) -> str:
    """A read-only address. Without a log of changes SQLite would make one, even to read.

    A journal whose last writer ended in order has none, and is then read as it stands.
    """
    has_log = path.with_name(f'{path.name}-wal').exists()
    return f'file:{quote(str(path))}?mode=ro' + ('' if has_log else '&immutable=1')
