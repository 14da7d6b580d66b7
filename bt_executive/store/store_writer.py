"""The store on disk: one thread writes, in order, and does not block the tick.

The thread sleeps until a caller waits for the disk, or for `INTERVAL_S`. All changes until then
are one transaction, in which only the latest value of each part is written: so one sync of the
disk, and one JSON text, serve many ticks. Inputs are written with the next transaction, or after
`INPUTS_INTERVAL_S`; if the disk is full, they are left out.
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
from bt_executive.store.sqlite_opening_and_faults import FILE_ERRORS, PASSING, fault, fault_of
from bt_executive.store.store_retention import Retention
from bt_executive.store.store_rows import WRITE_ERRORS, Row, Stamp, entry_row, part_row, run_row
from rover_common.clocks import Now
from rover_common.process.threads import start_thread

CAPACITY = 20_000  # waiting puts, while the disk hangs
INTERVAL_S = 0.05  # until changes are written that no caller waits for
INPUTS_INTERVAL_S = 1.0  # the same for inputs alone
INPUTS_CAPACITY = 20_000  # waiting inputs; a minute of a busy executive
RETRY_S = 1.0  # between attempts to write
LAST_RETRY_S = 0.05  # the same while the store is closing


@dataclass(frozen=True)
class OpenFile:
    """The file of a store, open for writing.

    Attributes:
        run: Number of the current run.
        last: Number of the latest row in it.
        lock: Excludes other executives until it is closed.
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
        file: Closed by this object.
        start: Parameters of this run; put first.
        on_fault: Result of `durable` during a fault: NEVER, or NOT_KEPT, so that acts continue.
        wake: Called from the writer's thread when `durable` or `fault` may have changed.
        retention: Applied while nothing waits.
        max_inputs_mb: Limit for the inputs of this run, in megabytes.
        report: Called from any thread with a sentence when inputs are left out.
        system: Returns the time of day in s.
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
        self._awaited: int | None = None  # the first ticket that a caller waits for
        self._closing = self._closed = False
        self._close_by = math.inf  # steady s: deadline for further attempts to write
        self._fault: StoreFault | None = None
        self._thread = start_thread(self._work, 'store', self._report_end)
        self.put(now, {RUN: _run_part(start, '')}, (Entry('RUN', start),))

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        """See `Store.put`. Takes some microseconds: the thread writes."""
        with self._changed:
            self.latest += 1
            if self._accepts_put():
                is_first = not self._waiting
                self._waiting.append(_Put(self.latest, now, self._system(), parts, entries))
                if is_first:
                    self._changed.notify()
            return self.latest

    def record(self, lines: Sequence[InputLine]) -> None:
        with self._changed:
            if self._closing or not self._may_write():
                return
            is_first = not self._waiting and not self._inputs
            self._inputs.put(lines, self._system())
            if is_first:
                self._changed.notify()

    def durable(self, ticket: int) -> Durability:
        with self._changed:
            if ticket <= self._committed:
                return Durability.ON_DISK
            is_final = self._closed or not self._may_write()
            if self._fault is not None and (is_final or self._on_fault is not Durability.NEVER):
                return self._on_fault  # else it will be written again
            if self._awaited is None:
                self._changed.notify()
            self._awaited = min(ticket, self._awaited or ticket)
            return Durability.WAITING

    def fault(self) -> StoreFault | None:
        return self._fault

    def close(self, now: Now, how: str, within_s: float) -> None:
        """See `Store.close`. Changes that are not on disk by then are lost, as by a kill."""
        self.put(now, {RUN: _run_part(self._start, how)}, (Entry('RUN_END', {'how': how}),))
        with self._changed:
            self._closing = True
            self._close_by = time.monotonic() + within_s
            self._changed.notify()
        self._thread.join(within_s)
        with self._changed:
            self._closed = True
            if self._committed < self.latest and self._fault is None:
                self._fault = self._closed_fault()
        if not self._thread.is_alive():
            # Only here: even after a fault no other executive may use the file.
            self._file.lock.close()

    def _closed_fault(self) -> StoreFault:
        return fault(StoreCode.CLOSED, self._path, 'it is closed')

    def _accepts_put(self) -> bool:
        """Return whether a put may wait. On overflow the store ends: a gap would be worse."""
        if self._closing:
            self._fault = self._fault or self._closed_fault()
        elif len(self._waiting) >= self._capacity:
            reason = f'the disk has not taken {self._capacity} changes'
            self._fault = fault(StoreCode.OVERFLOWED, self._path, reason)
        return not self._closing and self._may_write()

    def _may_write(self) -> bool:
        """Return whether waiting changes can still be written, now or later."""
        return self._fault is None or self._fault.code in PASSING

    def _is_urgent(self) -> bool:
        return self._awaited is not None or self._closing or not self._may_write()

    def _has_puts(self) -> bool:
        return bool(self._waiting) or self._is_urgent()

    def _work(self) -> None:
        try:
            while batch := self._next_batch():
                if not self._write(batch):
                    return
        finally:
            self._connection.close()

    def _report_end(self, error: BaseException) -> None:
        """Makes any error of the thread a fault: nothing is stored any more."""
        self._set_fault(fault(StoreCode.UNWRITABLE, self._path, repr(error)))

    def _next_batch(self) -> _Batch | None:
        """Return the waiting changes; None at the end. Applies retention while nothing waits."""
        while True:
            with self._changed:
                if self._inputs and not self._waiting:
                    self._changed.wait_for(self._has_puts, INPUTS_INTERVAL_S)
                if self._waiting:
                    self._changed.wait_for(self._is_urgent, INTERVAL_S)
                if self._waiting or self._inputs:
                    puts, self._waiting = self._waiting, []
                    return _Batch(puts, self._inputs.pop_all())
                if self._closing or not self._may_write():
                    return None
                if not self._retention.due:
                    self._changed.wait()
                    continue
            self._delete_oldest()

    def _write(self, batch: _Batch) -> bool:
        """Writes a batch, with retries while the disk cannot take it; False if it fails."""
        rows = self._rows(batch.puts)
        if rows is None:
            return False
        inputs = self._inputs.rows(batch.inputs, self._next_stamp)
        while (rows or inputs) and not self._commit([*rows, *inputs]):
            fault = self._fault
            if inputs and fault is not None and fault.code is StoreCode.DISK_FULL:
                with self._changed:  # the free space is for the checkpoints
                    self._inputs.mark_gap(batch.inputs)
                inputs = []
            elif not self._wait_for_retry():
                return False
        if rows or inputs:
            self._set_committed(batch.puts[-1].ticket if batch.puts else self._committed)
        # The trace is longer, or has the end of its oldest goal. An idle executive writes, too.
        self._retention.due = self._retention.due or any(put.entries for put in batch.puts)
        return True

    def _wait_for_retry(self) -> bool:
        """Waits before the next attempt, shortly while closing; returns False to give up."""
        with self._changed:
            was_closing = self._closing
            wait_s = min(LAST_RETRY_S, self._retry_s) if was_closing else self._retry_s
            self._changed.wait_for(
                lambda: self._closing is not was_closing or not self._may_write(), wait_s
            )
            return self._may_write() and time.monotonic() < self._close_by

    def _rows(self, batch: list[_Put]) -> list[Row] | None:
        """Return the rows of puts, each part with its latest value; None if one has no JSON."""
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
        except WRITE_ERRORS as error:
            reason = f'it is to hold what cannot be written: {error}'
            self._set_fault(fault(StoreCode.UNWRITABLE, self._path, reason))
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
        """Applies retention. A full disk or a lock is no fault: it is attempted again later."""
        try:
            self._retention.delete_oldest(self._connection, self._system())
        except FILE_ERRORS as error:
            self._retention.due = False
            self._roll_back()
            new_fault = fault_of(self._path, error)
            if new_fault.code not in PASSING:
                self._set_fault(new_fault)

    def _roll_back(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute('ROLLBACK')

    def _set_committed(self, ticket: int) -> None:
        with self._changed:
            self._committed = ticket
            has_passed = self._fault is not None and self._may_write()
            if has_passed:
                self._fault = None
            wakes = has_passed or (self._awaited is not None and self._awaited <= ticket)
            if wakes:
                self._awaited = None
        if wakes:
            self._wake()

    def _set_fault(self, fault: StoreFault) -> None:
        """Keeps a fault until it passes or another one replaces it; one that cannot pass stays."""
        with self._changed:
            is_new = self._fault is None or (
                self._may_write() and fault.code is not self._fault.code
            )
            if is_new:
                self._fault, self._awaited = fault, None
        if is_new:
            self._wake()


def _run_part(start: RunStart, ended: str) -> dict[str, Any]:
    return {**vars(start), 'ended': ended}
