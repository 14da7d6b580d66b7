"""The journal on disk: one thread writes, in order, and the tick goes on.

Whatever waits when a commit is done goes into the next one together, so one sync of the disk
serves many records (group commit).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
import math
from pathlib import Path
import sqlite3
import threading
import time
from typing import TextIO

from bt_executive.core.journal import Durability, JournalCode, JournalFault
from bt_executive.core.journal_records import LifeEnded, Record
from bt_executive.journal.faults import FILE_ERRORS, PASSING, fault, fault_of
from bt_executive.journal.retention import Retention
from bt_executive.journal.rows import Entry, Stamp, table_of
from rover_common.clocks import Now
from rover_common.process.threads import start_thread

CAPACITY = 20_000  # records that wait while the disk hangs
RETRY_S = 1.0  # between tries while the disk cannot take what waits
LAST_RETRY_S = 0.05  # the same once it is to be closed

Row = tuple[str, tuple[object, ...]]  # statement and values


@dataclass(frozen=True)
class OpenFile:
    """A journal that is open for writing.

    Attributes:
        life: Number of the executive's life that writes now.
        last: Number of the latest entry in it.
        lock: Keeps other executives out until it is closed.
    """

    connection: sqlite3.Connection
    path: Path
    life: int
    last: int
    lock: TextIO


class SqliteJournal:
    """See `bt_executive.core.journal.Journal`.

    Args:
        file: Is closed by this object.
        unkept: What `durable` says while there is a fault: NEVER, or NOT_KEPT, so acts go on.
        wake: Is called, from the writer's thread, when who waits may look again.
        retention: Makes room while nothing waits.
        system: Gives the time of day in s.
    """

    def __init__(
        self,
        file: OpenFile,
        unkept: Durability,
        wake: Callable[[], None],
        retention: Retention,
        system: Callable[[], float] = time.time,
        capacity: int = CAPACITY,
        retry_s: float = RETRY_S,
    ) -> None:
        self._file, self._connection = file, file.connection
        self._path, self._life = file.path, file.life
        self._unkept, self._wake, self._retention = unkept, wake, retention
        self._system, self._capacity, self._retry_s = system, capacity, retry_s
        self._changed = threading.Condition()
        self._waiting: deque[Entry[Record]] = deque()
        self._last = self._committed = file.last
        self._awaited: int | None = None  # the first number for which somebody was told to wait
        self._closing = self._over = False
        self._close_by = math.inf  # steady s: until then it is written again and again
        self._fault: JournalFault | None = None
        self._thread = start_thread(self._work, 'journal', self._broke_off)

    def put(self, now: Now, record: Record) -> int:
        """See `Journal.put`. Costs some microseconds: the thread writes."""
        at = Stamp(now.ros, now.robot, now.steady, self._system())
        with self._changed:
            self._last += 1
            if self._takes_more():
                self._waiting.append(Entry(self._last, self._life, at, record))
                self._changed.notify()
            return self._last

    def durable(self, ticket: int) -> Durability:
        """See `Journal.durable`."""
        with self._changed:
            if ticket <= self._committed:
                return Durability.ON_DISK
            never = self._over or not self._may_pass()
            if self._fault is not None and (never or self._unkept is not Durability.NEVER):
                return self._unkept  # else it is written again, so this is no never
            self._awaited = min(ticket, self._awaited or ticket)
            return Durability.WAITING

    def fault(self) -> JournalFault | None:
        """See `Journal.fault`."""
        return self._fault

    def close(self, now: Now, how: str, within_s: float) -> None:
        """See `Journal.close`. What the disk has not taken by then is lost, as by a kill."""
        self.put(now, LifeEnded(how=how))
        with self._changed:
            self._closing = True
            self._close_by = time.monotonic() + within_s
            self._changed.notify()
        self._thread.join(within_s)
        with self._changed:
            self._over = True
            if self._committed < self._last and self._fault is None:
                self._fault = self._closed()
        if not self._thread.is_alive():
            self._file.lock.close()  # also after a fault this file is nobody else's until the end

    def _closed(self) -> JournalFault:
        return fault(JournalCode.CLOSED, self._path, 'it is closed')

    def _takes_more(self) -> bool:
        """Whether one more record may wait. A gap would be worse than an end: it ends."""
        if self._closing:
            self._fault = self._fault or self._closed()
        elif len(self._waiting) >= self._capacity:
            why = f'the disk has not taken {self._capacity} records'
            self._fault = fault(JournalCode.OVERFLOWED, self._path, why)
        return not self._closing and self._may_pass()

    def _may_pass(self) -> bool:
        """Whether what waits can still be written, now or later."""
        return self._fault is None or self._fault.code in PASSING

    def _work(self) -> None:
        try:
            while batch := self._next_batch():
                if not self._write(batch):
                    return
        finally:
            self._connection.close()

    def _broke_off(self, error: BaseException) -> None:
        """Whatever it is: nobody may believe that records are kept."""
        self._set_fault(fault(JournalCode.UNWRITABLE, self._path, repr(error)))

    def _next_batch(self) -> list[Entry[Record]]:
        """Everything that waits; empty: this was all. While nothing waits, room is made."""
        while True:
            with self._changed:
                if self._waiting or self._closing or not self._may_pass():
                    batch = list(self._waiting)
                    self._waiting.clear()
                    return batch
                if not self._retention.due:
                    self._changed.wait()
                    continue
            self._make_room()

    def _write(self, batch: list[Entry[Record]]) -> bool:
        """Writes the batch, again and again while the disk cannot take it. False: it is lost."""
        rows = self._rows(batch)
        while rows and not self._commit(rows):
            if not self._waits_to_try_again():
                return False
        if rows:
            self._committed_to(batch[-1].number)
            self._retention.due = True  # the last words of a goal may come after its end
        return bool(rows)

    def _waits_to_try_again(self) -> bool:
        """Waits, and less at the end, in which a fault may pass, too. False: it is given up."""
        with self._changed:
            was_closing = self._closing
            wait_s = min(LAST_RETRY_S, self._retry_s) if was_closing else self._retry_s
            self._changed.wait_for(
                lambda: self._closing is not was_closing or not self._may_pass(), wait_s
            )
            return self._may_pass() and time.monotonic() < self._close_by

    def _rows(self, batch: list[Entry[Record]]) -> list[Row]:
        rows: list[Row] = []
        for entry in batch:
            table = table_of(type(entry.record))
            try:
                rows.append((table.insert, table.row(entry)))
            except (ValueError, TypeError, RecursionError, RuntimeError) as error:
                why = f'a {type(entry.record).__name__} holds what cannot be written: {error}'
                self._set_fault(fault(JournalCode.UNWRITABLE, self._path, why))
                return []
        return rows

    def _commit(self, rows: list[Row]) -> bool:
        try:
            self._connection.execute('BEGIN IMMEDIATE')
            for statement, values in rows:
                self._connection.execute(statement, values)
            self._connection.execute('COMMIT')
        except (*FILE_ERRORS, OverflowError) as error:
            self._roll_back()
            self._set_fault(self._fault_of(error))
            return False
        return True

    def _fault_of(self, error: Exception) -> JournalFault:
        if isinstance(error, (sqlite3.IntegrityError, OverflowError)):
            return fault(JournalCode.UNWRITABLE, self._path, str(error))
        return fault_of(self._path, error)

    def _make_room(self) -> None:
        """A full disk or a lock is no fault yet: nothing is lost, and it is tried again later."""
        try:
            self._retention.make_room(self._connection, self._system())
        except FILE_ERRORS as error:
            self._retention.due = False
            self._roll_back()
            found = fault_of(self._path, error)
            if found.code not in PASSING:
                self._set_fault(found)

    def _roll_back(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute('ROLLBACK')

    def _committed_to(self, number: int) -> None:
        with self._changed:
            self._committed = number
            passed = self._fault is not None and self._may_pass()
            if passed:
                self._fault = None
            wakes = passed or (self._awaited is not None and self._awaited <= number)
            if wakes:
                self._awaited = None
        if wakes:
            self._wake()

    def _set_fault(self, found: JournalFault) -> None:
        """The first fault stays until it has passed; one that cannot pass takes its place."""
        with self._changed:
            news = self._fault is None or (self._may_pass() and found.code not in PASSING)
            if news:
                self._fault, self._awaited = found, None
        if news:
            self._wake()
