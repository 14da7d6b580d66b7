"""Opens a journal's file: for writing with all checks, for reading without changing anything.

Errors of SQLite and of the operating system become faults of the store, with what to do next.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
import errno
import os
from pathlib import Path
import sqlite3
import stat
from urllib.parse import quote

from bt_executive.core.store_port import StoreCode, StoreFault
from bt_executive.store.journal_location import without_links
from bt_executive.store.store_schema import (
    APPLICATION_ID,
    OLDEST_VERSION,
    VERSION,
    create,
    is_empty,
    migrate,
    set_aside,
    version_of,
)
from rover_common.errors import JournalError
from rover_common.text_sanitizing import one_line

# Errors of SQLite. Its message may quote a damaged file, and may not be decodable.
FILE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
ELSEWHERE = 'or name another file with --journal FILE or journal.file'
# Faults that may pass; waiting changes are written again.
PASSING = frozenset(
    {
        StoreCode.DISK_FULL,
        StoreCode.IO_ERROR,
        StoreCode.LOCKED,
        StoreCode.NOT_WRITABLE,
    }
)
# Messages of sqlite3_errstr: Python 3.10 has no error codes.
_BY_MESSAGE = {
    'is locked': StoreCode.LOCKED,
    'readonly database': StoreCode.NOT_WRITABLE,
    'disk is full': StoreCode.DISK_FULL,
    'disk I/O error': StoreCode.IO_ERROR,
    'unable to open': StoreCode.NOT_WRITABLE,
    'not a database': StoreCode.FOREIGN,
}
_BY_ERRNO = {
    errno.ENOSPC: StoreCode.DISK_FULL,
    errno.EDQUOT: StoreCode.DISK_FULL,
    errno.EIO: StoreCode.IO_ERROR,
}
_WHAT_TO_DO = {
    StoreCode.NO_FOLDER: f'make the folder, {ELSEWHERE}',
    StoreCode.NOT_WRITABLE: f'make file and folder writable, {ELSEWHERE}',
    StoreCode.FOREIGN: f'move it away, {ELSEWHERE}',
    StoreCode.DAMAGED: 'move it away (`bt-executive journal check` says what is wrong, '
    f'`export` what can still be read), {ELSEWHERE}',
    StoreCode.OTHER_VERSION: f'move it away or start the version that wrote it, {ELSEWHERE}',
    StoreCode.LOCKED: 'end the program that keeps it locked',
    StoreCode.DISK_FULL: 'make room on the disk',
    StoreCode.IO_ERROR: 'look at the disk',
    StoreCode.OVERFLOWED: 'look at the disk and start the executive again',
    StoreCode.UNWRITABLE: 'this is a fault of the program; please report it',
    StoreCode.CLOSED: 'it ends with its executive',
}


def fault(code: StoreCode, path: Path, why: str) -> StoreFault:
    """Return a fault whose sentence names the file, the error, and what to do next."""
    sentence = f'The journal {str(path)!r} cannot be kept ({why}): {_WHAT_TO_DO[code]}.'
    return StoreFault(code, sentence)


def fault_of(path: Path, error: Exception) -> StoreFault:
    """Return the fault of an OSError or of one of FILE_ERRORS."""
    if isinstance(error, OSError):
        code = _BY_ERRNO.get(error.errno or 0, StoreCode.NOT_WRITABLE)
        return fault(code, path, error.strerror or str(error))
    return fault(code_of(error), path, str(error))


def code_of(error: Exception) -> StoreCode:
    """Return the code of one of FILE_ERRORS; DAMAGED if its message is unknown."""
    message = str(error)
    return next((code for part, code in _BY_MESSAGE.items() if part in message), StoreCode.DAMAGED)


NAME_ANOTHER = 'name another one with --journal FILE'
BUSY_S = 5.0  # timeout for a lock of another process
WAL_BYTES = 4_000_000  # size limit of the write-ahead log between checkpoints
MAX_REPORTED = 5  # faults of the file


def open_for_writing(path: Path) -> sqlite3.Connection | StoreFault:
    """Open the journal, created if it is missing; or return why it cannot be used.

    A file that is no journal, damaged, or of a newer version is unchanged. One of an older version
    is migrated or, before `OLDEST_VERSION`, renamed: nothing of it is resumed. A log that a killed
    executive has left is renamed, too, if the file it belongs to is gone.
    """
    problem = _prepare(path)
    if problem is not None:
        return problem
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        problem = _check(connection, path)
        if problem is None:
            _configure(connection)
            if version_of(connection) < VERSION:
                migrate(connection)
    except FILE_ERRORS as error:
        problem = fault_of(path, error)
    if problem is not None:
        connection.close()
        return problem
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open the journal read-only, also while an executive writes it. Creates nothing.

    Raises:
        JournalError: It is missing, no journal, damaged or of another version.
    """
    path = without_links(path)
    try:
        if is_empty(path):
            raise JournalError(
                f'The journal {str(path)!r} is empty, because no executive has written it yet: '
                f'start one, or {NAME_ANOTHER}.'
            )
        if not _is_journal(path):
            raise JournalError(f'{str(path)!r} is not a journal of bt-executive: {NAME_ANOTHER}.')
        connection = sqlite3.connect(
            _address(path), uri=True, isolation_level=None, timeout=BUSY_S
        )
        connection.execute('BEGIN')  # all queries see the same snapshot
        version = version_of(connection)
    except OSError as error:
        raise JournalError(
            f'The journal {str(path)!r} cannot be read ({error.strerror}): {NAME_ANOTHER}.'
        ) from None
    except FILE_ERRORS as error:
        raise JournalError(describe_read_error(path, error)) from None
    if not OLDEST_VERSION <= version <= VERSION:
        connection.close()
        raise JournalError(
            f'The journal {str(path)!r} cannot be read ({_versions(version)}): use the version '
            f'that wrote it, or {NAME_ANOTHER}.'
        )
    return connection


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the journal for reading until the end of the block; see `open_for_reading`.

    Raises:
        JournalError: As there. Or it was closed, so that it was read without locks, and has been
            written since, so that what was read may be of two times.
    """
    path = without_links(path)
    is_closed, before = not _has_log(path), _file_stamp(path)
    try:
        with closing(open_for_reading(path)) as connection:
            yield connection
    except Exception:
        if is_closed and _file_stamp(path) != before:
            raise JournalError(_written_meanwhile(path)) from None
        raise
    if is_closed and _file_stamp(path) != before:
        raise JournalError(_written_meanwhile(path))


def _file_stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _written_meanwhile(path: Path) -> str:
    return (
        f'The journal {str(path)!r} was written while it was read, as an executive has started: '
        'read it again.'
    )


def describe_read_error(path: Path, error: Exception) -> str:
    """Return the sentence about an error of SQLite that prevents reading."""
    if code_of(error) is StoreCode.DAMAGED:
        return (
            f'The journal {str(path)!r} cannot be read, because it is damaged '
            f'({one_line(str(error))}): restore a copy of it, or {NAME_ANOTHER}.'
        )
    return (
        f'The journal {str(path)!r} cannot be read ({one_line(str(error))}): end the program '
        f'that keeps it locked, check the disk, or {NAME_ANOTHER}.'
    )


def find_damage(connection: sqlite3.Connection) -> list[str]:
    """Return the first faults that SQLite finds in the file; empty if there are none.

    Indices are checked, too: a wrong index would hide a call that is still in progress.

    Raises:
        sqlite3.Error: It cannot be checked, for example because it is locked.
    """
    try:
        rows = connection.execute(f'PRAGMA integrity_check({MAX_REPORTED})').fetchall()
    except FILE_ERRORS as error:
        if code_of(error) is not StoreCode.DAMAGED:
            raise
        return [str(error)]
    return [*_cut_page(connection), *(str(row[0]) for row in rows if row[0] != 'ok')]


def _cut_page(connection: sqlite3.Connection) -> Iterator[str]:
    """Say that the file ends within a page; SQLite reads what is missing as zeros.

    With a log of changes beside it the file may be short: SQLite writes the pages again.
    """
    (size,) = connection.execute('PRAGMA page_size').fetchone()
    path = Path(connection.execute('PRAGMA database_list').fetchone()[2])
    log = path.with_name(f'{path.name}-wal')
    if path.is_file() and not (log.exists() and log.stat().st_size):
        rest = path.stat().st_size % size
        if rest:
            yield f'it ends within a page, {size - rest} B short'


def _is_journal(path: Path) -> bool:
    """Return whether the file is marked as a journal.

    Raises:
        sqlite3.Error, OSError: It cannot be read.
    """
    return _marks_of(path)[0] == APPLICATION_ID


def is_older(path: Path) -> bool:
    """Return whether the file is a journal too old to be migrated.

    Raises:
        sqlite3.Error, OSError: It cannot be read.
    """
    application_id, version = _marks_of(path)
    return application_id == APPLICATION_ID and 0 < version < OLDEST_VERSION


def _marks_of(path: Path) -> tuple[int, int]:
    """Return application id and version of a file; zeros if it is none of SQLite.

    SQLite reads them: if this program opened and closed the file beside it, the locks of this
    process would be gone (https://sqlite.org/howtocorrupt.html, 2.2), and another program could
    remove the log in which a connection goes on to commit.
    """
    if not stat.S_ISREG(path.stat().st_mode):  # opening a FIFO blocks
        return 0, 0
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    connection = sqlite3.connect(_address(path), uri=True, timeout=BUSY_S)
    try:
        (application_id,) = connection.execute('PRAGMA application_id').fetchone()
        return int(application_id), version_of(connection)
    except sqlite3.DatabaseError as error:
        if 'not a database' in str(error):  # Python 3.10 has no error codes
            return 0, 0
        raise
    finally:
        connection.close()


def _prepare(path: Path) -> StoreFault | None:
    """Create the file if it is missing; return why it cannot be used."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        return fault(StoreCode.NO_FOLDER, path, error.strerror or str(error))
    try:
        # Of a file that is gone, its log is set aside: SQLite would read it into the new one.
        if not path.exists() or (path.is_file() and path.stat().st_size and is_older(path)):
            set_aside(path)
        if not path.exists() or is_empty(path):
            create(path)
        elif not path.is_file():
            return fault(StoreCode.FOREIGN, path, 'it is no file')
        elif not path.stat().st_size:
            return fault(StoreCode.DAMAGED, path, 'it is empty, and its log of changes is not')
        elif not _is_journal(path):
            return fault(StoreCode.FOREIGN, path, 'it is the file of another program')
    except (*FILE_ERRORS, OSError) as error:
        return fault_of(path, error)
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return None if writable else fault(StoreCode.NOT_WRITABLE, path, 'it is read-only')


def _check(connection: sqlite3.Connection, path: Path) -> StoreFault | None:
    version = version_of(connection)
    if version < 1:
        return fault(StoreCode.DAMAGED, path, f'its version is {version}')
    if not OLDEST_VERSION <= version <= VERSION:
        return _other_version(path, version)
    damage = find_damage(connection)
    return fault(StoreCode.DAMAGED, path, one_line(damage[0])) if damage else None


def _configure(connection: sqlite3.Connection) -> None:
    """Set WAL, so that readers and the writer do not block each other, and FULL.

    With synchronous = FULL each commit is on disk when it returns. With NORMAL a power loss may
    undo the latest commits, and a call that was sent after one of them would be sent again.
    """
    (mode,) = connection.execute('PRAGMA journal_mode = WAL').fetchone()
    if mode != 'wal':  # some network file systems cannot share memory
        raise sqlite3.OperationalError(f'unable to open it in WAL mode, only in {mode}')
    connection.execute('PRAGMA synchronous = FULL')
    connection.execute(f'PRAGMA journal_size_limit = {WAL_BYTES}')


def _other_version(path: Path, version: int) -> StoreFault:
    return fault(StoreCode.OTHER_VERSION, path, _versions(version))


def _versions(version: int) -> str:
    return f'its version is {version}, this program knows {OLDEST_VERSION} to {VERSION}'


def _address(path: Path) -> str:
    """Return a read-only URI. Without a write-ahead log SQLite would create one, even to read.

    A journal that was closed has none, and is opened as immutable.
    """
    return f'file:{quote(str(path))}?mode=ro' + ('' if _has_log(path) else '&immutable=1')


def _has_log(path: Path) -> bool:
    return path.with_name(f'{path.name}-wal').exists()
