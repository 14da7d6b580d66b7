"""The journal on disk: in order, off the tick, and honest about what it could not write."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
import sqlite3
import threading
from typing import Any

from journals import BEGAN, NOW, a_goal, end, entries_of, goal_ended, put_all, records_of, start
import pytest
from waiting import wait_until

from bt_executive.core.journal import Durability, JournalCode
from bt_executive.core.journal_records import GoalMoved, Message, TraceReference
from bt_executive.journal.entries import last_number
from bt_executive.journal.opening import open_for_writing
from bt_executive.journal.retention import Retention
from bt_executive.journal.start import _lock
from bt_executive.journal.writer import OpenFile, SqliteJournal
from rover_common.errors import UsageError


class Woken:
    """Counts."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


def opened(
    path: Path,
    woken: Callable[[], None] | None = None,
    pages: int | None = None,
    retention: Retention | None = None,
    statement: Callable[[str], None] | None = None,
    unkept: Durability = Durability.NEVER,
    **options: Any,
) -> SqliteJournal:
    """A journal without a start, whose connection may be held to so many pages and watched."""
    lock, connection = _lock(path), open_for_writing(path)
    assert isinstance(connection, sqlite3.Connection)
    assert not hasattr(lock, 'code')
    connection.execute('PRAGMA busy_timeout = 20')
    connection.set_trace_callback(statement)
    if pages:
        connection.execute(f'PRAGMA max_page_count = {pages}')
    file = OpenFile(connection, path, 1, last_number(connection), lock)
    kept = retention or Retention(30.0, 100.0)
    return SqliteJournal(file, unkept, woken or Woken(), kept, retry_s=0.01, **options)


def pages_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute('PRAGMA page_count').fetchone()[0])


def fault_code(journal: SqliteJournal) -> JournalCode | None:
    fault = journal.fault()
    return fault.code if fault else None


def test_entries_stand_in_the_order_in_which_they_were_put(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    records = [*a_goal('a'), *a_goal('b'), goal_ended('a')]
    journal = start(path).journal
    put_all(journal, records)
    end(journal)
    assert records_of(path) == records
    numbers = [entry.number for entry in entries_of(path)]
    assert numbers == list(range(1, len(records) + 3))


def test_a_later_life_goes_on_counting(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    for expected in (1, 2, 3):
        started = start(path)
        assert started.life == expected
        put_all(started.journal, a_goal(f'g{expected}'))
        end(started.journal)
    numbers = [entry.number for entry in entries_of(path)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_who_waits_for_a_later_batch_is_not_woken_by_an_earlier_one(tmp_path: Path) -> None:
    tickets: list[int] = []
    seen: list[Durability] = []

    def put_another(statement: str) -> None:
        if statement == 'COMMIT' and len(tickets) == 1:
            tickets.append(journal.put(NOW, TraceReference(event_id='second')))
            assert journal.durable(tickets[1]) is Durability.WAITING

    def look() -> None:
        seen.append(journal.durable(tickets[1]))

    journal = opened(tmp_path / 'j.sqlite', woken=look, statement=put_another)
    tickets.append(journal.put(NOW, TraceReference(event_id='first')))
    wait_until(lambda: bool(seen), 'somebody is woken')
    assert seen == [Durability.ON_DISK]
    end(journal)


def test_put_and_durable_do_not_wait_for_a_locked_file(tmp_path: Path) -> None:
    path, woken = tmp_path / 'j.sqlite', Woken()
    journal = opened(path, woken)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        ticket = journal.put(NOW, TraceReference(event_id='e'))
        wait_until(lambda: fault_code(journal) is JournalCode.LOCKED)
        assert journal.durable(ticket) is Durability.WAITING
        assert woken.times == 1
        other.execute('COMMIT')
    wait_until(lambda: journal.durable(ticket) is Durability.ON_DISK)
    wait_until(lambda: woken.times == 2, 'the passing of the fault is told')
    assert journal.fault() is None
    end(journal)


def test_a_full_disk_is_told_once_and_nothing_is_lost_when_there_is_room(tmp_path: Path) -> None:
    path, woken = tmp_path / 'j.sqlite', Woken()
    end(opened(path))
    journal = opened(path, woken, pages=pages_of(path) + 2)
    records = [Message(speaker='planner', role='ai', content='x' * 3000) for _ in range(20)]
    tickets = [journal.put(NOW, record) for record in records]
    wait_until(lambda: fault_code(journal) is JournalCode.DISK_FULL)
    fault = journal.fault()
    assert fault is not None
    assert str(path) in fault.sentence
    assert 'make room' in fault.sentence
    assert journal.durable(tickets[-1]) is Durability.WAITING
    wait_until(lambda: woken.times == 1)
    journal._connection.execute('PRAGMA max_page_count = 100000')
    wait_until(lambda: journal.durable(tickets[-1]) is Durability.ON_DISK)
    assert journal.fault() is None
    end(journal)
    assert records_of(path) == records


@pytest.mark.parametrize('passes', ['before it is closed', 'while it is closed', 'never'])
@pytest.mark.parametrize('unkept', [Durability.NEVER, Durability.NOT_KEPT])
def test_at_the_end_it_is_tried_again_and_three_answers_are_told(
    tmp_path: Path, passes: str, unkept: Durability
) -> None:
    path = tmp_path / 'j.sqlite'
    journal = opened(path, unkept=unkept)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute('BEGIN IMMEDIATE')
        ticket = journal.put(NOW, TraceReference(event_id='the latch'))
        wait_until(lambda: fault_code(journal) is JournalCode.LOCKED)
        not_yet = Durability.WAITING if unkept is Durability.NEVER else unkept
        assert journal.durable(ticket) is not_yet
        if passes == 'before it is closed':
            other.execute('COMMIT')
        closes = threading.Thread(
            target=journal.close, args=(NOW, 'asked', 0.3 if passes == 'never' else 60.0)
        )
        closes.start()
        if passes == 'while it is closed':
            wait_until(lambda: journal._closing)
            other.execute('COMMIT')
        closes.join()
        if passes == 'never':
            assert journal.durable(ticket) is unkept
            other.execute('COMMIT')
            return
    assert journal.durable(ticket) is Durability.ON_DISK
    assert journal.durable(ticket + 1) is Durability.ON_DISK  # how it has ended
    assert journal.fault() is None


def test_a_disk_that_hangs_for_too_long_ends_the_journal_without_a_gap(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    journal = opened(path, capacity=5)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        first = journal.put(NOW, TraceReference(event_id='0'))
        wait_until(lambda: fault_code(journal) is JournalCode.LOCKED)
        tickets = [journal.put(NOW, TraceReference(event_id=f'{n}')) for n in range(1, 8)]
        assert fault_code(journal) is JournalCode.OVERFLOWED
    assert journal.durable(tickets[-1]) is Durability.NEVER
    assert journal.put(NOW, TraceReference(event_id='later')) > tickets[-1] > first
    end(journal)
    kept = [entry.number for entry in entries_of(path)]
    assert kept == list(range(1, len(kept) + 1))
    assert journal.durable(tickets[-1]) is Durability.NEVER


@pytest.mark.parametrize(
    'record',
    [
        GoalMoved(goal_id='g', status='ACTIVE', position=2**70),
        Message(speaker='planner', role='', content='', data={(1, 2): 3}),  # type: ignore[dict-item]
        Message(speaker='planner', role=3, content=''),  # type: ignore[arg-type]
    ],
)
def test_a_record_that_cannot_be_written_is_a_fault_and_no_gap(
    tmp_path: Path, record: Any
) -> None:
    path = tmp_path / 'j.sqlite'
    journal = opened(path)
    before = put_all(journal, a_goal('g'))
    ticket = journal.put(NOW, record)
    wait_until(lambda: fault_code(journal) is JournalCode.UNWRITABLE)
    after = journal.put(NOW, TraceReference(event_id='after'))
    assert journal.durable(before) is Durability.ON_DISK
    assert journal.durable(ticket) is journal.durable(after) is Durability.NEVER
    end(journal)
    assert records_of(path) == a_goal('g')


def test_also_after_a_fault_no_other_executive_may_have_the_file(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    journal = opened(path)
    journal.put(NOW, GoalMoved(goal_id='g', status='ACTIVE', position=2**70))
    wait_until(lambda: not journal._thread.is_alive(), 'the writer has given up')
    with pytest.raises(UsageError, match='an executive that runs'):
        start(path)
    end(journal)
    end(start(path).journal)


def test_room_that_cannot_be_made_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    retention = Retention(keep_days=1e-9, max_mb=100.0, due=False)
    journal = opened(path, retention=retention)
    put_all(journal, [*a_goal('g'), goal_ended('g'), TraceReference(event_id='e')])
    wait_until(lambda: not retention.due, 'it has been tried')
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        retention.due = True
        with journal._changed:
            journal._changed.notify()
        wait_until(lambda: not retention.due, 'it has been tried again')
        assert journal.fault() is None
    end(journal)


def test_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    started = start(path)
    for number in range(20):
        put_all(started.journal, [TraceReference(event_id=f'{number}')])
        assert len(records_of(path)) == number + 1
    end(started.journal)


def test_after_its_end_nothing_is_kept_and_that_is_said(tmp_path: Path) -> None:
    journal = opened(tmp_path / 'j.sqlite')
    end(journal)
    ticket = journal.put(NOW, BEGAN)
    assert journal.durable(ticket) is Durability.NEVER
    assert fault_code(journal) is JournalCode.CLOSED
