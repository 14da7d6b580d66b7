"""Power loss, imitated: wherever the log of changes is cut, what is left is how it began."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
import shutil
import sqlite3
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journals import a_goal, end, entries_of, goal_ended, one_life, put_all, start
import pytest

from bt_executive.core.journal_records import Record
from bt_executive.journal.opening import open_for_writing
from bt_executive.journal.rows import Entry

GOALS = 6
FULL = 2  # of PRAGMA synchronous


class Snapshot(NamedTuple):
    """The files of a journal while it is written, as the disk has them at one moment."""

    folder: Path
    entries: list[Entry[Record]]


@pytest.fixture(scope='module', params=['all in the log', 'a part in the file'])
def snapshot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    work, kept = tmp_path_factory.mktemp('work'), tmp_path_factory.mktemp('kept')
    path = work / 'j.sqlite'
    if request.param == 'a part in the file':
        one_life(path, a_goal('before'))  # its end writes the log into the file
    journal = start(path).journal
    for number in range(GOALS):
        for record in (*a_goal(f'g{number}'), goal_ended(f'g{number}')):
            put_all(journal, [record])
    for name in ('j.sqlite', 'j.sqlite-wal'):
        shutil.copy(work / name, kept / name)
    entries = entries_of(path)
    end(journal)
    return Snapshot(kept, entries)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_log_cut_anywhere_leaves_a_prefix_and_goes_on(
    tmp_path: Path, snapshot: Snapshot, data: st.DataObject
) -> None:
    for old in tmp_path.iterdir():
        old.unlink()
    path, log = tmp_path / 'j.sqlite', tmp_path / 'j.sqlite-wal'
    shutil.copy(snapshot.folder / 'j.sqlite', path)
    whole = (snapshot.folder / 'j.sqlite-wal').read_bytes()
    cut = data.draw(st.integers(0, len(whole)), label='cut')
    torn = data.draw(st.binary(max_size=40), label='torn')  # the disk was writing this
    log.write_bytes(whole[:cut] + torn)
    journal = start(path).journal
    assert journal.fault() is None
    put_all(journal, a_goal('after'))
    end(journal)
    entries = entries_of(path)
    kept = len(entries) - 2 - len(a_goal('after'))
    assert entries[:kept] == snapshot.entries[:kept]
    assert [each.number for each in entries] == list(range(1, len(entries) + 1))
    assert cut < len(whole) or kept == len(snapshot.entries)


def test_what_is_reported_as_durable_is_in_the_files_at_that_moment(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    journal = start(path).journal
    for number, record in enumerate([*a_goal('a'), goal_ended('a'), *a_goal('b')]):
        ticket = put_all(journal, [record])
        copy = tmp_path / f'{number}'
        copy.mkdir()
        for name in ('j.sqlite', 'j.sqlite-wal'):
            shutil.copy(tmp_path / name, copy / name)
        found = [entry.number for entry in entries_of(copy / 'j.sqlite')]
        assert found == list(range(1, ticket + 1))
    end(journal)


def test_each_commit_is_synced(tmp_path: Path) -> None:
    connection = open_for_writing(tmp_path / 'j.sqlite')
    assert isinstance(connection, sqlite3.Connection)
    with closing(connection):
        assert connection.execute('PRAGMA synchronous').fetchone() == (FULL,)
        assert connection.execute('PRAGMA journal_mode').fetchone() == ('wal',)


def test_every_record_that_was_durable_is_in_the_whole_log(snapshot: Snapshot) -> None:
    assert len([each for each in snapshot.entries if each.record.goal_id.startswith('g')]) == (
        GOALS * (len(a_goal('g')) + 1)
    )
