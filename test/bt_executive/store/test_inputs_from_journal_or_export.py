"""What ticks were given: bounded while it waits, kept in the journal, forgotten by runs."""

from __future__ import annotations

from contextlib import closing
import json
import os
from pathlib import Path
import sqlite3
from typing import Any

import pytest
from stores import NOW, start
from waiting import wait_until

from bt_executive.core.store_port import InputLine
from bt_executive.store.inputs_from_journal_or_export import INBOX_FILE, read_inputs
from bt_executive.store.inputs_to_write import NO_ROOM, TOO_SLOW, InputQueue, TickInputs
from bt_executive.store.sqlite_opening_and_faults import open_for_reading, open_for_writing
from bt_executive.store.store_retention import Retention
from bt_executive.store.store_rows import Stamp
from bt_executive.store.store_schema import VERSION, version_of
from rover_common.clocks import Now
from rover_common.errors import RecordingError
from rover_common.reason import Reason

KEY = ('r', 'noon')


def tick(number: int, lines: int = 1) -> list[InputLine]:
    return [InputLine(Now.at(float(number)), 'BatterySeen', {'percent': number})] * lines


class Queue(InputQueue):
    """With what it says."""

    def __init__(self, max_mb: float = 1.0, capacity: int = 10) -> None:
        self.reports: list[str] = []
        super().__init__(max_mb, capacity, self.reports.append)
        self._row = 0

    def written(self, *taken: TickInputs) -> list[tuple[str, str]]:
        """Event and value of each row."""
        rows = self.rows(taken or self.pop_all(), self._stamp)
        return [(values[6], values[9]) for statement, values in rows if 'INSERT' in statement]

    def _stamp(self, now: Now, system_s: float) -> Stamp:
        self._row += 1
        return Stamp.of(self._row, 1, now, system_s)


def test_what_waits_too_long_is_left_out_and_marked_where_it_is_missing() -> None:
    queue = Queue(capacity=4)
    for number in range(5):
        queue.put(tick(number, lines=2), 0.0)  # the disk hangs
    assert queue.reports == [TOO_SLOW]
    first = queue.pop_all()
    queue.put(tick(9), 0.0)
    assert [value for _, value in queue.written(*first)] == ['{"percent":0}'] * 2 + [
        '{"percent":1}'
    ] * 2
    assert queue.written() == [('recording.gap', '{"count":6}'), ('BatterySeen', '{"percent":9}')]


def test_inputs_that_do_not_fit_on_the_disk_are_marked_in_place() -> None:
    queue = Queue()
    queue.put(tick(1, lines=3), 0.0)
    lost = queue.pop_all()
    queue.put(tick(2), 0.0)
    queue.mark_gap(lost)
    lost = queue.pop_all()  # it has none for the mark either
    queue.put(tick(3), 0.0)
    queue.mark_gap(lost)
    assert queue.reports == [NO_ROOM]
    assert queue.written() == [('recording.gap', '{"count":4}'), ('BatterySeen', '{"percent":3}')]


def test_a_run_that_has_reached_its_bound_ends_with_a_mark() -> None:
    queue = Queue(max_mb=0.0005, capacity=100)
    for number in range(20):
        queue.put(tick(number), 0.0)
    events = [event for event, _ in queue.written()]
    assert set(events[:-1]) == {'BatterySeen'}
    assert events[-1] == 'recording.gap'
    assert 'journal.max_inputs_mb' in queue.reports[0]
    queue.put(tick(21), 0.0)
    assert not queue


def test_what_has_no_json_text_is_a_gap_and_no_fault_of_the_journal() -> None:
    endless: list[object] = []
    endless.append(endless)
    queue = Queue()
    queue.put([InputLine(NOW, 'BatterySeen', {'percent': endless})], 0.0)
    queue.put(tick(2), 0.0)
    assert [event for event, _ in queue.written()] == ['recording.gap', 'BatterySeen']


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / 'journal.sqlite'


def record(journal: Path, ticks: int, run_id: str = 'r') -> None:
    """One run with so many ticks, and nothing else."""
    started = start(journal, run_id=run_id, started_at='noon')
    for number in range(ticks):
        started.store.record(tick(number))
    started.store.close(NOW, 'done', 20.0)


def rows_of(journal: Path) -> list[tuple[int, str]]:
    with closing(open_for_reading(journal)) as connection:
        return connection.execute('SELECT run, event FROM inputs ORDER BY entry').fetchall()


def test_inputs_are_written_though_nothing_is_put(journal: Path) -> None:
    started = start(journal)
    try:
        started.store.record(tick(1))
        wait_until(lambda: rows_of(journal) == [(1, 'BatterySeen')])
    finally:
        started.store.close(NOW, 'done', 20.0)


def test_inputs_are_read_by_their_run(journal: Path) -> None:
    record(journal, 3)
    record(journal, 2, run_id='another')
    (process,) = read_inputs(journal.parent, [KEY]).processes
    assert [entry['fields'] for entry in process.entries] == [{'percent': n} for n in range(3)]
    assert process.header['run_id'] == 'r'


def test_inputs_of_a_journal_that_was_written_meanwhile_are_not_used(journal: Path) -> None:
    """It was read without locks: some rows may be missing."""

    def write(_entry: dict[str, Any]) -> None:
        os.utime(journal, ns=(0, 0))

    record(journal, 3)
    with pytest.raises(RecordingError, match='was written while it was read'):
        read_inputs(journal.parent, [KEY], write)


def test_what_nobody_needs_of_the_inputs_is_not_kept(journal: Path) -> None:
    def trim(entry: dict[str, Any]) -> None:
        if entry['fields']['percent'] != 1:
            entry.clear()

    record(journal, 3)
    (from_journal,) = read_inputs(journal.parent, [KEY], trim).processes
    (whole,) = read_inputs(journal.parent, [KEY]).processes
    rows = map(json.dumps, (whole.header, *whole.entries))
    (journal.parent / INBOX_FILE).write_text('\n'.join(rows) + '\n')
    journal.unlink()
    (exported,) = read_inputs(journal.parent, [KEY], trim).processes
    for process in (from_journal, exported):
        assert [entry['fields'] for entry in process.entries] == [{'percent': 1}]
        assert len(process.numbers) == 1


def test_a_journal_where_this_user_may_not_look_is_a_reason_and_no_hindrance(
    journal: Path,
) -> None:
    """As below the home folder of who ran it; pathlib raises OSError for a long name, too."""
    record(journal, 1)
    theirs = f'/{"x" * 300}/theirs.sqlite'
    metadata = {'run_id': 'r', 'started_at': 'noon', 'journal': theirs}
    journal.with_name('run.json').write_text(json.dumps(metadata))
    (process,) = read_inputs(journal.parent, [KEY]).processes
    assert len(process.entries) == 1
    journal.unlink()
    with pytest.raises(RecordingError, match=r"theirs[.]sqlite' cannot be read \("):
        read_inputs(journal.parent, [KEY])


def test_the_oldest_runs_inputs_are_forgotten_first_and_those_of_the_latest_never(
    journal: Path,
) -> None:
    for number in range(3):
        record(journal, 40, run_id=f'r{number}')
    connection = open_for_writing(journal)
    assert not isinstance(connection, Reason)
    with closing(connection):
        retention = Retention(30.0, 100.0, max_inputs_mb=1e-6)
        while retention.delete_oldest(connection, system_s=0.0) is not None:
            pass
    assert rows_of(journal) == [(3, 'BatterySeen')] * 40


def test_a_file_of_the_version_before_is_taken_over_with_all_that_is_in_it(
    journal: Path,
) -> None:
    record(journal, 1)
    with closing(sqlite3.connect(journal)) as connection:
        connection.executescript('DROP TABLE inputs; DROP TABLE runs; PRAGMA user_version = 3;')
    with closing(open_for_reading(journal)) as connection:
        assert version_of(connection) == 3
    started = start(journal)
    started.store.close(NOW, 'done', 20.0)
    assert started.run == 2
    assert started.saved is not None
    with closing(open_for_reading(journal)) as connection:
        assert version_of(connection) == VERSION
