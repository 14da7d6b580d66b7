"""The store on disk: in order, off the tick, and honest about what it could not write."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
import sqlite3
import threading
from typing import Any

import pytest
from stores import (
    NOW,
    START,
    Change,
    a_goal,
    end,
    entries_of,
    event,
    goal_ended,
    parts_of,
    put_all,
    said,
    start,
    trace_of,
    trace_values,
)
from waiting import wait_until

from bt_executive.core.store_port import Durability, Entry, InputLine, StoreCode
from bt_executive.store.inputs_to_write import NO_ROOM
from bt_executive.store.sqlite_opening_and_faults import open_for_writing
from bt_executive.store.store_lock_and_previous_run import _lock
from bt_executive.store.store_retention import Retention
from bt_executive.store.store_rows import last_entry
from bt_executive.store.store_writer import OpenFile, SqliteStore
from rover_common.errors import UsageError


class Woken:
    """Counts."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


class Unwritable:
    """Has no JSON text."""

    def __str__(self) -> str:
        raise ValueError('no words for it')


def opened(
    path: Path,
    woken: Callable[[], None] | None = None,
    pages: int | None = None,
    retention: Retention | None = None,
    statement: Callable[[str], None] | None = None,
    on_fault: Durability = Durability.NEVER,
    **options: Any,
) -> SqliteStore:
    """A store without a start, whose connection may be held to so many pages and watched."""
    lock, connection = _lock(path), open_for_writing(path)
    assert isinstance(connection, sqlite3.Connection)
    assert not hasattr(lock, 'code')
    connection.execute('PRAGMA busy_timeout = 20')
    connection.set_trace_callback(statement)
    (run,) = connection.execute('SELECT coalesce(max(run), 0) + 1 FROM runs').fetchone()
    file = OpenFile(connection, path, run, last_entry(connection), lock)
    kept = retention or Retention(30.0, 100.0, due=False)
    store = SqliteStore(
        file, START, NOW, on_fault, woken or Woken(), kept, **({'retry_s': 0.01} | options)
    )
    wait_until(lambda: store.durable(store.latest) is Durability.ON_DISK, 'its run is entered')
    if pages:
        connection.execute(f'PRAGMA max_page_count = {pages}')
    if isinstance(woken, Woken):
        woken.times = 0
    return store


def pages_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute('PRAGMA page_count').fetchone()[0])


def fault_code(store: SqliteStore) -> StoreCode | None:
    fault = store.fault()
    return fault.code if fault else None


def test_entries_are_in_the_order_in_which_they_were_put(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    changes = [*a_goal('a'), *a_goal('b'), goal_ended('a')]
    store = start(path).store
    put_all(store, changes)
    end(store)
    assert trace_of(path) == trace_values(changes)
    numbers = [each.at.entry for each in entries_of(path)]
    assert numbers == sorted(numbers)


def test_a_later_run_goes_on_counting(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    for expected in (1, 2, 3):
        started = start(path)
        assert started.run == expected
        put_all(started.store, a_goal(f'g{expected}'))
        end(started.store)
    assert [each.at.run for each in entries_of(path) if each.kind == 'RUN'] == [1, 2, 3]
    numbers = [each.at.entry for each in entries_of(path)]
    assert numbers == sorted(set(numbers))


def test_a_part_that_changes_often_is_written_once_and_as_it_was_last(tmp_path: Path) -> None:
    path, statements = tmp_path / 'j.sqlite', list[str]()
    store = opened(path, statement=statements.append)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        first = store.put(NOW, {'mode': 0})
        wait_until(lambda: store.durable(first) and fault_code(store) is StoreCode.LOCKED)
        for number in range(1, 50):
            store.put(NOW, {'mode': number})
        other.execute('COMMIT')
    wait_until(lambda: store.durable(store.latest) is Durability.ON_DISK)
    end(store)
    assert parts_of(path)['mode'].value == 49
    written = [each for each in statements if "'mode'" in each]
    assert len(written) <= 4, 'the first, again for each try, and once for all others'


def test_nobody_is_disturbed_until_somebody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('bt_executive.store.store_writer.INTERVAL_S', 3600.0)
    path = tmp_path / 'j.sqlite'
    store = opened(path)
    store.put(NOW, {'mode': 1})
    ticket = store.put(NOW, {'mode': 2})
    assert 'mode' not in parts_of(path)
    wait_until(lambda: store.durable(ticket) is Durability.ON_DISK)
    assert parts_of(path)['mode'].value == 2
    end(store)


def test_what_nobody_waits_for_is_written_after_a_while(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    store = opened(path)
    store.put(NOW, {'mode': 1})
    wait_until(lambda: 'mode' in parts_of(path), 'it is written')
    end(store)


def test_who_waits_for_a_later_batch_is_not_woken_by_an_earlier_one(tmp_path: Path) -> None:
    tickets: list[int] = []
    seen: list[Durability] = []

    def put_another(statement: str) -> None:
        if statement == 'COMMIT' and len(tickets) == 1:
            tickets.append(store.put(NOW, *event('second')))
            assert store.durable(tickets[1]) is Durability.WAITING

    def look() -> None:
        if len(tickets) == 2:
            seen.append(store.durable(tickets[1]))

    store = opened(tmp_path / 'j.sqlite', woken=look, statement=put_another)
    tickets.append(store.put(NOW, *event('first')))
    wait_until(lambda: bool(seen), 'somebody is woken')
    assert seen == [Durability.ON_DISK]
    end(store)


def test_put_and_durable_do_not_wait_for_a_locked_file(tmp_path: Path) -> None:
    path, woken = tmp_path / 'j.sqlite', Woken()
    store = opened(path, woken)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        ticket = store.put(NOW, *event('e'))
        wait_until(lambda: fault_code(store) is StoreCode.LOCKED)
        assert store.durable(ticket) is Durability.WAITING
        assert woken.times == 1
        other.execute('COMMIT')
    wait_until(lambda: store.durable(ticket) is Durability.ON_DISK)
    wait_until(lambda: woken.times == 2, 'the passing of the fault is told')
    assert store.fault() is None
    end(store)


def test_a_full_disk_is_reported_once_and_nothing_is_lost(tmp_path: Path) -> None:
    path, woken = tmp_path / 'j.sqlite', Woken()
    end(opened(path))
    store = opened(path, woken, pages=pages_of(path) + 2)
    changes = [said('x' * 3000) for _ in range(20)]
    tickets = [store.put(NOW, *change) for change in changes]
    wait_until(lambda: fault_code(store) is StoreCode.DISK_FULL)
    fault = store.fault()
    assert fault is not None
    assert str(path) in fault.sentence
    assert 'make room' in fault.sentence
    assert store.durable(tickets[-1]) is Durability.WAITING
    wait_until(lambda: woken.times == 1)
    store._connection.execute('PRAGMA max_page_count = 100000')
    wait_until(lambda: store.durable(tickets[-1]) is Durability.ON_DISK)
    assert store.fault() is None
    end(store)
    assert trace_of(path) == trace_values(changes)


def test_a_disk_that_is_full_behind_a_lock_takes_the_checkpoints_without_the_inputs(
    tmp_path: Path,
) -> None:
    path, reports = tmp_path / 'j.sqlite', list[str]()
    store = opened(path, report=reports.append)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        store.record([InputLine(NOW, 'BatterySeen', {'text': 'x' * 50_000})])
        ticket = store.put(NOW, {'mode': 1})
        wait_until(lambda: store.durable(ticket) and fault_code(store) is StoreCode.LOCKED)
        store._connection.execute(f'PRAGMA max_page_count = {pages_of(path) + 3}')
        other.execute('COMMIT')
    wait_until(lambda: store.durable(ticket) is Durability.ON_DISK)
    assert reports == [NO_ROOM]
    end(store)


@pytest.mark.parametrize('passes', ['before it is closed', 'while it is closed', 'never'])
@pytest.mark.parametrize('on_fault', [Durability.NEVER, Durability.NOT_KEPT])
def test_closing_retries_and_reports_its_result(
    tmp_path: Path, passes: str, on_fault: Durability
) -> None:
    path = tmp_path / 'j.sqlite'
    store = opened(path, on_fault=on_fault)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute('BEGIN IMMEDIATE')
        ticket = store.put(NOW, *event('the latch'))
        wait_until(lambda: fault_code(store) is StoreCode.LOCKED)
        not_yet = Durability.WAITING if on_fault is Durability.NEVER else on_fault
        assert store.durable(ticket) is not_yet
        if passes == 'before it is closed':
            other.execute('COMMIT')
        closes = threading.Thread(
            target=store.close, args=(NOW, 'asked', 0.3 if passes == 'never' else 60.0)
        )
        closes.start()
        if passes == 'while it is closed':
            wait_until(lambda: store._closing)
            other.execute('COMMIT')
        closes.join()
        if passes == 'never':
            assert store.durable(ticket) is on_fault
            other.execute('COMMIT')
            return
    assert store.durable(ticket) is Durability.ON_DISK
    assert store.durable(ticket + 1) is Durability.ON_DISK  # how it has ended
    assert store.fault() is None


def test_a_disk_that_hangs_for_too_long_ends_the_store_without_a_gap(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    store = opened(path, capacity=5)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        first = store.put(NOW, *event('0'))
        wait_until(lambda: fault_code(store) is StoreCode.LOCKED)
        tickets = [store.put(NOW, *event(f'{n}')) for n in range(1, 8)]
        assert fault_code(store) is StoreCode.OVERFLOWED
    assert store.durable(tickets[-1]) is Durability.NEVER
    assert store.put(NOW, *event('later')) > tickets[-1] > first
    end(store)
    kept = [value['message'] for _, _, value in trace_of(path)]
    assert kept == [f'{n}' for n in range(len(kept))]
    assert store.durable(tickets[-1]) is Durability.NEVER


@pytest.mark.parametrize(
    'change',
    [Change({'mode': Unwritable()}), Change({}, (Entry('MESSAGE', {'content': Unwritable()}),))],
    ids=['part', 'entry'],
)
def test_a_value_that_cannot_be_written_is_a_fault_and_no_gap(
    tmp_path: Path, change: Change
) -> None:
    path = tmp_path / 'j.sqlite'
    store = opened(path)
    before = put_all(store, a_goal('g'))
    ticket = store.put(NOW, *change)
    wait_until(lambda: fault_code(store) is StoreCode.UNWRITABLE)
    after = store.put(NOW, *event('after'))
    assert store.durable(before) is Durability.ON_DISK
    assert store.durable(ticket) is store.durable(after) is Durability.NEVER
    end(store)
    assert trace_of(path) == trace_values(a_goal('g'))


def test_also_after_a_fault_no_other_executive_may_have_the_file(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    store = opened(path)
    store.put(NOW, {'mode': Unwritable()})
    wait_until(lambda: not store._thread.is_alive(), 'the writer has given up')
    with pytest.raises(UsageError, match='an executive that runs'):
        start(path)
    end(store)
    end(start(path).store)


def test_room_that_cannot_be_made_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    retention = Retention(keep_days=1e-9, max_mb=100.0, due=False)
    store = opened(path, retention=retention)
    put_all(store, [*a_goal('g'), goal_ended('g'), event('e')])
    wait_until(lambda: not retention.due, 'it has been tried')
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        retention.due = True
        with store._changed:
            store._changed.notify()
        wait_until(lambda: not retention.due, 'it has been tried again')
        assert store.fault() is None
    end(store)


def test_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    started = start(path)
    for number in range(20):
        put_all(started.store, [event(f'{number}')])
        assert len(trace_of(path)) == number + 1
    end(started.store)


def test_after_its_end_nothing_is_stored_and_a_fault_is_reported(tmp_path: Path) -> None:
    store = opened(tmp_path / 'j.sqlite')
    end(store)
    ticket = store.put(NOW, {'mode': 1})
    assert store.durable(ticket) is Durability.NEVER
    assert fault_code(store) is StoreCode.CLOSED
