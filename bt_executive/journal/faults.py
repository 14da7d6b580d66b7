"""Why a journal cannot be opened or written: SQLite's and the system's errors as reasons."""

from __future__ import annotations

import errno
from pathlib import Path
import sqlite3

from bt_executive.core.journal import JournalCode, JournalFault

# What SQLite raises; its words may quote a damaged file, and then cannot even be decoded.
FILE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
ELSEWHERE = 'or name another file with --journal FILE or journal.file'
# Of these the disk may recover; what waits to be written is tried again.
PASSING = frozenset(
    {
        JournalCode.DISK_FULL,
        JournalCode.IO_ERROR,
        JournalCode.LOCKED,
        JournalCode.NOT_WRITABLE,
    }
)
# SQLite's own words (sqlite3_errstr): Python 3.10 has no error codes.
_BY_WORDS = {
    'is locked': JournalCode.LOCKED,
    'readonly database': JournalCode.NOT_WRITABLE,
    'disk is full': JournalCode.DISK_FULL,
    'disk I/O error': JournalCode.IO_ERROR,
    'unable to open': JournalCode.NOT_WRITABLE,
    'not a database': JournalCode.FOREIGN,
}
_BY_NUMBER = {
    errno.ENOSPC: JournalCode.DISK_FULL,
    errno.EDQUOT: JournalCode.DISK_FULL,
    errno.EIO: JournalCode.IO_ERROR,
}
_WHAT_TO_DO = {
    JournalCode.NO_FOLDER: f'make the folder, {ELSEWHERE}',
    JournalCode.NOT_WRITABLE: f'make file and folder writable, {ELSEWHERE}',
    JournalCode.FOREIGN: f'move it away, {ELSEWHERE}',
    JournalCode.DAMAGED: 'move it away (`bt-executive journal check` says what is wrong, '
    f'`export` what can still be read), {ELSEWHERE}',
    JournalCode.NEWER: f'start the version that wrote it, {ELSEWHERE}',
    JournalCode.LOCKED: 'end the program that keeps it locked',
    JournalCode.DISK_FULL: 'make room on the disk',
    JournalCode.IO_ERROR: 'look at the disk',
    JournalCode.OVERFLOWED: 'look at the disk and start the executive again',
    JournalCode.UNWRITABLE: 'this is a fault of the program; please report it',
    JournalCode.CLOSED: 'it ends with its executive',
}


def fault(code: JournalCode, path: Path, why: str) -> JournalFault:
    """The reason in one sentence: which file, what is wrong, what to do next."""
    sentence = f'The journal {str(path)!r} cannot be kept ({why}): {_WHAT_TO_DO[code]}.'
    return JournalFault(code, sentence)


def fault_of(path: Path, error: Exception) -> JournalFault:
    """The reason that an OSError or one of FILE_ERRORS means."""
    if isinstance(error, OSError):
        code = _BY_NUMBER.get(error.errno or 0, JournalCode.NOT_WRITABLE)
        return fault(code, path, error.strerror or str(error))
    return fault(code_of(error), path, str(error))


def code_of(error: Exception) -> JournalCode:
    """What one of FILE_ERRORS means; DAMAGED if its words are not known."""
    words = str(error)
    return next((code for known, code in _BY_WORDS.items() if known in words), JournalCode.DAMAGED)
