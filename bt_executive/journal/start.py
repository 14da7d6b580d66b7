"""Starts the journal of an executive: locked for it alone, checked, read, and its life begun."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
import os
from pathlib import Path
import sqlite3
from typing import TextIO

from bt_executive.core.journal import Durability, Journal, JournalCode, JournalFault
from bt_executive.core.journal_records import LifeBegan
from bt_executive.journal.entries import last_number
from bt_executive.journal.faults import FILE_ERRORS, fault, fault_of
from bt_executive.journal.left_behind import left_behind
from bt_executive.journal.location import without_links
from bt_executive.journal.opening import open_for_reading, open_for_writing
from bt_executive.journal.past import Past
from bt_executive.journal.reading_past import read_past
from bt_executive.journal.retention import Retention
from bt_executive.journal.rows import DamagedRowError
from bt_executive.journal.unkept import UnkeptJournal
from bt_executive.journal.writer import OpenFile, SqliteJournal
from rover_common.clocks import Now
from rover_common.config.settings import JournalSettings
from rover_common.errors import JournalError, UsageError
from rover_common.process.file_lock import holder_of, sign
from rover_common.reason import Reason

BOOT_ID = Path('/proc/sys/kernel/random/boot_id')


@dataclass(frozen=True)
class Started:
    """The journal of this life.

    Attributes:
        life: Its number in the file, from 1; 0: nothing is kept, see `journal.fault()`.
        past: What the lives before have left open; None: nothing, or a fresh start.
    """

    journal: Journal
    life: int = 0
    past: Past | None = None


def start_journal(
    path: Path, settings: JournalSettings, began: LifeBegan, now: Now, wake: Callable[[], None]
) -> Started:
    """Begins a life in the journal. A file that cannot be used is a fault of the journal.

    `wake` is called from another thread when `durable` or `fault` may have changed.

    Raises:
        UsageError: Another executive writes this journal.
    """
    path = without_links(path)
    unkept = Durability.NEVER if settings.on_fault == 'safe' else Durability.NOT_KEPT
    lock = _lock(path)
    if isinstance(lock, Reason):
        return Started(UnkeptJournal(lock, unkept))
    opened = _open(path, lock, began.fresh)
    if isinstance(opened, Reason):
        lock.close()
        return Started(UnkeptJournal(opened, unkept))
    file, past = opened
    retention = Retention(settings.keep_days, settings.max_mb)
    journal = SqliteJournal(file, unkept, wake, retention)
    journal.put(now, began)
    if began.fresh and past is not None:
        for record in left_behind(past):
            journal.put(now, record)
        past = None
    return Started(journal, file.life, past)


def boot_id() -> str:
    """Of this machine since it was started; empty where the system does not tell."""
    try:
        return BOOT_ID.read_text(encoding='ascii').strip()
    except OSError:
        return ''


def _lock(path: Path) -> TextIO | JournalFault:
    """The file beside the journal that this process has locked until it is closed."""
    name = path.with_name(f'{path.name}.lock')
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        return fault(JournalCode.NO_FOLDER, path, error.strerror or str(error))
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.fdopen(os.open(name, flags, 0o600), 'r+', encoding='utf-8', errors='replace')
    except OSError as error:
        return fault_of(path, error)
    if os.fstat(file.fileno()).st_nlink != 1:  # what is written here would be in another file, too
        file.close()
        return fault(JournalCode.UNWRITABLE, path, f'{name.name!r} is a hard link: remove it')
    holder = holder_of(file)
    if holder:
        file.close()
        raise UsageError(
            f'The journal {str(path)!r} belongs to an executive that runs (process {holder}): end '
            'it, or name another journal with --journal FILE.'
        )
    sign(file)
    return file


def _open(path: Path, lock: TextIO, fresh: bool) -> tuple[OpenFile, Past | None] | JournalFault:
    connection = open_for_writing(path)
    if isinstance(connection, Reason):
        return connection
    try:
        past = _past(connection, fresh)
        (life,) = connection.execute('SELECT max(life) FROM lives').fetchone()
        file = OpenFile(connection, path, (life or 0) + 1, last_number(connection), lock)
    except DamagedRowError as error:
        connection.close()
        return fault(JournalCode.DAMAGED, path, str(error))
    except FILE_ERRORS as error:
        connection.close()
        return fault_of(path, error)
    return file, past


def _past(connection: sqlite3.Connection, fresh: bool) -> Past | None:
    """What is open; who starts fresh needs none of it, and can do so with a damaged one."""
    try:
        return read_past(connection)
    except DamagedRowError:
        if fresh:
            return None
        raise


def make_if_missing(path: Path) -> None:
    """Makes an empty journal for a writer that is no executive. One that is there is left alone.

    Raises:
        JournalError: It cannot be made.
        UsageError: An executive makes it at this moment.
    """
    path = without_links(path)
    if path.exists():
        return
    lock = _lock(path)
    connection = lock if isinstance(lock, Reason) else open_for_writing(path)
    if isinstance(connection, Reason):
        raise JournalError(connection.sentence)
    connection.close()
    assert not isinstance(lock, Reason)
    lock.close()


@contextmanager
def open_to_prune(path: Path) -> Iterator[sqlite3.Connection]:
    """The journal of no running executive: an executive makes room by itself.

    Raises:
        JournalError: It cannot be read or written.
        UsageError: An executive has it.
    """
    path = without_links(path)
    open_for_reading(path).close()
    lock = _lock(path)
    connection = lock if isinstance(lock, Reason) else open_for_writing(path)
    if isinstance(connection, Reason):
        raise JournalError(connection.sentence)
    assert not isinstance(lock, Reason)
    with lock, closing(connection):
        yield connection
