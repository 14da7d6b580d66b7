"""Why a journal cannot be opened or written: SQLite's and the system's errors as reasons."""

from __future__ import annotations

import errno
from pathlib import Path
import sqlite3

from bt_executive.core.store_port import StoreCode, StoreFault

# What SQLite raises; its words may quote a damaged file, and then cannot even be decoded.
FILE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
ELSEWHERE = 'or name another file with --journal FILE or journal.file'
# Of these the disk may recover; what waits to be written is tried again.
PASSING = frozenset(
    {
        StoreCode.DISK_FULL,
        StoreCode.IO_ERROR,
        StoreCode.LOCKED,
        StoreCode.NOT_WRITABLE,
    }
)
# SQLite's own words (sqlite3_errstr): Python 3.10 has no error codes.
_BY_WORDS = {
    'is locked': StoreCode.LOCKED,
    'readonly database': StoreCode.NOT_WRITABLE,
    'disk is full': StoreCode.DISK_FULL,
    'disk I/O error': StoreCode.IO_ERROR,
    'unable to open': StoreCode.NOT_WRITABLE,
    'not a database': StoreCode.FOREIGN,
}
_BY_NUMBER = {
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
    """The reason in one sentence: which file, what is wrong, what to do next."""
    sentence = f'The journal {str(path)!r} cannot be kept ({why}): {_WHAT_TO_DO[code]}.'
    return StoreFault(code, sentence)


def fault_of(path: Path, error: Exception) -> StoreFault:
    """The reason that an OSError or one of FILE_ERRORS means."""
    if isinstance(error, OSError):
        code = _BY_NUMBER.get(error.errno or 0, StoreCode.NOT_WRITABLE)
        return fault(code, path, error.strerror or str(error))
    return fault(code_of(error), path, str(error))


def code_of(error: Exception) -> StoreCode:
    """What one of FILE_ERRORS means; DAMAGED if its words are not known."""
    words = str(error)
    return next((code for known, code in _BY_WORDS.items() if known in words), StoreCode.DAMAGED)
