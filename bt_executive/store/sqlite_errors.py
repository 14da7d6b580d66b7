"""Maps errors of SQLite and of the operating system to faults of the store."""

from __future__ import annotations

import errno
from pathlib import Path
import sqlite3

from bt_executive.core.store_port import StoreCode, StoreFault

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
