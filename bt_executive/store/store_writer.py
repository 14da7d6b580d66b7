"""The store on disk: one thread writes, in order, and the tick goes on.

The thread lets the tick's interpreter alone until somebody waits for the disk, or for
`INTERVAL_S`. What was put by then is one transaction, in which each part is written once, as it
was last: so one sync of the disk, and one JSON text, serve many ticks. Inputs go with the next
transaction, or after `INPUTS_INTERVAL_S`; where the disk does not take them, they are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
import math
from pathlib import Path
import sqlite3
import threading
import time
from typing import Any, NamedTuple, TextIO

from bt_executive.core.store_port import (
    RUN,
    Durability,
    Entry,
    InputLine,
    RunStart,
    StoreCode,
    StoreFault,
)
from bt_executive.store.inputs_to_write import InputQueue, TickInputs, ignore
from bt_executive.store.sqlite_errors import FILE_ERRORS, PASSING, fault, fault_of
from bt_executive.store.store_retention import Retention
from bt_executive.store.store_rows import UNWRITABLE, Row, Stamp, entry_row, part_row, run_row
from rover_common.clocks import Now
from rover_common.process.threads import start_thread

CAPACITY = 20_000  # puts that wait while the disk hangs
INTERVAL_S = 0.05  # after which what nobody waits for is written
INPUTS_INTERVAL_S = 1.0  # the same for inputs alone
INPUTS_CAPACITY = 20_000  # inputs that wait; a minute of a busy executive
RETRY_S = 1.0  # between tries while the disk cannot take what waits
LAST_RETRY_S = 0.05  # the same once it is to be closed


@dataclass(frozen=True)
class OpenFile:
    """A store's file that is open for writing.

    Attributes:
        run: Number of the executive that writes now.
        last: Number of the latest row in it.
        lock: Keeps other executives out until it is closed.
    """

    connection: sqlite3.Connection
    path: Path
    run: int
    last: int
    lock: TextIO


class _Put(NamedTuple):
    ticket: int
    now: Now
    system_s: float
    parts: Mapping[str, Any]
    entries: Sequence[Entry]


class _Batch(NamedTuple):
    puts: list[_Put]
    inputs: list[TickInputs]


class SqliteStore:
    """See `bt_executive.core.store_port.Store`.

    Args:
        file: Is closed by this object.
        start: Of this run; put first.
        unkept: What `durable` says while there is a fault: NEVER, or NOT_KEPT, so acts go on.
        wake: Called from the writer's thread when who waits may ask again.
        retention: Makes room while nothing waits.
        max_inputs_mb: Megabytes of inputs that are kept of this run.
        tell: Takes a sentence when inputs are left out, from any thread.
        system: Gives the time of day in s.
    """

    def __init__(
        self,
        file: OpenFile,
        start: RunStart,
        now: Now,
        on_fault: Durability,
        wake: Callable[[], None],
        retention: Retention,
        max_inputs_mb: float = math.inf,
        report: Callable[[str], None] = ignore,
        system: Callable[[], float] = time.time,
        capacity: int = CAPACITY,
        retry_s: float = RETRY_S,
    ) -> None:
        self._file, self._connection, self._path = file, file.connection, file.path
        self._start, self._row = start, file.last
        self._on_fault, self._wake, self._retention = on_fault, wake, retention
        self._system, self._capacity, self._retry_s = system, capacity, retry_s
        self._changed = threading.Condition()
        self._waiting: list[_Put] = []
        self._inputs = InputQueue(max_inputs_mb, INPUTS_CAPACITY, report)
        self.latest = self._committed = 0
        self._awaited: int | None = None  # the first ticket for which somebody waits
        self._closing = self._over = False
        self._close_by = math.inf  # steady s: until then it is written again and again
        self._fault: StoreFault | None = None
        self._thread = start_thread(self._work, 'store', self._broke_off)
        self.put(now, {RUN: _run_part(start, '')}, (Entry('RUN', start),))

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        """See `Store.put`. Costs some microseconds: the thread writes."""
        with self._changed:
            self.latest += 1
            if self._takes_more():
                first = not self._waiting
                self._waiting.append(_Put(self.latest, now, self._system(), parts, entries))
                if first:
                    self._changed.notify()
            return self.latest

    def record(self, lines: Sequence[InputLine]) -> None:
        with self._changed:
            if self._closing or not self._may_pass():
                return
            first = not self._waiting and not self._inputs
            self._inputs.put(lines, self._system())
            if first:
                self._changed.notify()

    def durable(self, ticket: int) -> Durability:
        with self._changed:
            if ticket <= self._committed:
                return Durability.ON_DISK
            never = self._over or not self._may_pass()
            if self._fault is not None and (never or self._on_fault is not Durability.NEVER):
                return self._on_fault  # else it is written again, so this is no never
            if self._awaited is None:
                self._changed.notify()
            self._awaited = min(ticket, self._awaited or ticket)
            return Durability.WAITING

    def fault(self) -> StoreFault | None:
        return self._fault

    def close(self, now: Now, how: str, within_s: float) -> None:
        """See `Store.close`. What the disk has not taken by then is lost, as by a kill."""
        self.put(now, {RUN: _run_part(self._start, how)}, (Entry('RUN_END', {'how': how}),))
        with self._changed:
            self._closing = True
            self._close_by = time.monotonic() + within_s
            self._changed.notify()
        self._thread.join(within_s)
        with self._changed:
            self._over = True
            if self._committed < self.latest and self._fault is None:
                self._fault = self._closed()
        if not self._thread.is_alive():
            self._file.lock.close()  # also after a fault this file is nobody else's until the end

    def _closed(self) -> StoreFault:
        return fault(StoreCode.CLOSED, self._path, 'it is closed')

    def _takes_more(self) -> bool:
        """Return whether one more may wait. A gap would be worse than an end: it ends."""
        if self._closing:
            self._fault = self._fault or self._closed()
        elif len(self._waiting) >= self._capacity:
            why = f'the disk has not taken {self._capacity} changes'
            self._fault = fault(StoreCode.OVERFLOWED, self._path, why)
        return not self._closing and self._may_pass()

    def _may_pass(self) -> bool:
        """Return whether what waits can still be written, now or later."""
        return self._fault is None or self._fault.code in PASSING

    def _is_urgent(self) -> bool:
        return self._awaited is not None or self._closing or not self._may_pass()

    def _is_more_than_inputs(self) -> bool:
        return bool(self._waiting) or self._is_urgent()

    def _work(self) -> None:
        try:
            while batch := self._next_batch():
                if not self._write(batch):
                    return
        finally:
            self._connection.close()

    def _broke_off(self, error: BaseException) -> None:
        """Whatever it is: nobody may believe that anything is kept."""
        self._set_fault(fault(StoreCode.UNWRITABLE, self._path, repr(error)))

    def _next_batch(self) -> _Batch | None:
        """Everything that waits; None: this was all. While nothing waits, room is made."""
        while True:
            with self._changed:
                if self._inputs and not self._waiting:
                    self._changed.wait_for(self._is_more_than_inputs, INPUTS_INTERVAL_S)
                if self._waiting:
                    self._changed.wait_for(self._is_urgent, INTERVAL_S)
                if self._waiting or self._inputs:
                    puts, self._waiting = self._waiting, []
                    return _Batch(puts, self._inputs.take())
                if self._closing or not self._may_pass():
                    return None
                if not self._retention.due:
                    self._changed.wait()
                    continue
            self._delete_oldest()

    def _write(self, batch: _Batch) -> bool:
        """Writes the batch, again and again while the disk cannot take it. False: it is lost."""
        rows = self._rows(batch.puts)
        if rows is None:
            return False
        inputs = self._inputs.rows(batch.inputs, self._next_stamp)
        while (rows or inputs) and not self._commit([*rows, *inputs]):
            fault = self._fault
            if inputs and fault is not None and fault.code is StoreCode.DISK_FULL:
                with self._changed:  # what is known has the room that is left
                    self._inputs.leave_out(batch.inputs)
                inputs = []
            elif not self._waits_to_try_again():
                return False
        if rows or inputs:
            self._committed_to(batch.puts[-1].ticket if batch.puts else self._committed)
        # An end is in the trace from here on; it may be the oldest goal's.
        self._retention.due = self._retention.due or any(
            entry.goal_end is not None for put in batch.puts for entry in put.entries
        )
        return True

    def _waits_to_try_again(self) -> bool:
        """Waits, and less at the end, in which a fault may pass, too. False: it is given up."""
        with self._changed:
            was_closing = self._closing
            wait_s = min(LAST_RETRY_S, self._retry_s) if was_closing else self._retry_s
            self._changed.wait_for(
                lambda: self._closing is not was_closing or not self._may_pass(), wait_s
            )
            return self._may_pass() and time.monotonic() < self._close_by

    def _rows(self, batch: list[_Put]) -> list[Row] | None:
        """The rows of what was put, each part as it is in the end; None: one cannot be written."""
        rows: list[Row] = []
        latest = {name: put for put in batch for name in put.parts}
        try:
            for put in batch:
                for entry in put.entries:
                    rows.append(entry_row(self._stamp(put), entry))
                    if entry.kind == 'RUN':
                        rows.append(run_row(self._stamp(put), entry.value))
                for name, value in put.parts.items():
                    if latest[name] is put:
                        rows.append(part_row(self._stamp(put), name, value))
        except UNWRITABLE as error:
            why = f'it is to hold what cannot be written: {error}'
            self._set_fault(fault(StoreCode.UNWRITABLE, self._path, why))
            return None
        return rows

    def _stamp(self, put: _Put) -> Stamp:
        return self._next_stamp(put.now, put.system_s)

    def _next_stamp(self, now: Now, system_s: float) -> Stamp:
        self._row += 1
        return Stamp.of(self._row, self._file.run, now, system_s)

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

    def _fault_of(self, error: Exception) -> StoreFault:
        if isinstance(error, (sqlite3.IntegrityError, OverflowError)):
            return fault(StoreCode.UNWRITABLE, self._path, str(error))
        return fault_of(self._path, error)

    def _delete_oldest(self) -> None:
        """A full disk or a lock is no fault yet: nothing is lost, and it is tried again later."""
        try:
            self._retention.delete_oldest(self._connection, self._system())
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

    def _committed_to(self, ticket: int) -> None:
        with self._changed:
            self._committed = ticket
            passed = self._fault is not None and self._may_pass()
            if passed:
                self._fault = None
            wakes = passed or (self._awaited is not None and self._awaited <= ticket)
            if wakes:
                self._awaited = None
        if wakes:
            self._wake()

    def _set_fault(self, found: StoreFault) -> None:
        """The first fault stays until it has passed; one that cannot pass takes its place."""
        with self._changed:
            news = self._fault is None or (self._may_pass() and found.code not in PASSING)
            if news:
                self._fault, self._awaited = found, None
        if news:
            self._wake()


def _run_part(start: RunStart, ended: str) -> dict[str, Any]:
    return {**vars(start), 'ended': ended}
