"""Power loss, imitated: wherever the log of changes is cut, what is left is how it began."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
import shutil
import sqlite3
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
import pytest
from stores import (
    a_goal,
    end,
    entries_of,
    goal_ended,
    one_run,
    parts_of,
    put_all,
    start,
    trace_of,
    trace_values,
)

from bt_executive.core.store_port import GOAL, Saved
from bt_executive.store.sqlite_opening_and_faults import open_for_writing
from bt_executive.store.store_rows import SavedEntry, SavedPart

GOALS = 6
FULL = 2  # of PRAGMA synchronous


class Snapshot(NamedTuple):
    """The files of a journal while it is written, as the disk has them at one moment."""

    folder: Path
    entries: list[SavedEntry]
    parts: dict[str, SavedPart]


@pytest.fixture(scope='module', params=['all in the log', 'a part in the file'])
def snapshot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    work, kept = tmp_path_factory.mktemp('work'), tmp_path_factory.mktemp('kept')
    path = work / 'j.sqlite'
    if request.param == 'a part in the file':
        one_run(path, a_goal('before'))  # its end writes the log into the file
    journal = start(path).store
    for number in range(GOALS):
        for change in (*a_goal(f'g{number}'), goal_ended(f'g{number}')):
            put_all(journal, [change])
    for name in ('j.sqlite', 'j.sqlite-wal'):
        shutil.copy(work / name, kept / name)
    entries, parts = entries_of(path), parts_of(path)
    end(journal)
    return Snapshot(kept, entries, parts)


def open_goals(saved: Saved | None) -> set[str]:
    names = saved.parts if saved is not None else ()
    return {each.removeprefix(GOAL) for each in names if each.startswith(GOAL)}


def goals_without_end(entries: list[SavedEntry]) -> set[str]:
    ended = {each.goal_id for each in entries if each.goal_end is not None}
    return {each.goal_id for each in entries} - ended - {''}


@pytest.mark.slow
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
    started = start(path)
    journal = started.store
    assert journal.fault() is None
    goals_before = open_goals(started.saved)
    put_all(journal, a_goal('after'))
    end(journal)
    entries = entries_of(path)
    kept = len(entries) - 2 - len(trace_values(a_goal('after')))
    assert entries[:kept] == snapshot.entries[:kept]
    assert cut < len(whole) or kept == len(snapshot.entries)
    # Parts and entries of one tick are there together or not at all.
    assert goals_without_end(entries[:kept]) == goals_before


def test_what_is_reported_as_durable_is_in_the_files_at_that_moment(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    journal = start(path).store
    changes = [*a_goal('a'), goal_ended('a'), *a_goal('b')]
    for number, change in enumerate(changes):
        put_all(journal, [change])
        copy = tmp_path / f'{number}'
        copy.mkdir()
        for name in ('j.sqlite', 'j.sqlite-wal'):
            shutil.copy(tmp_path / name, copy / name)
        assert trace_of(copy / 'j.sqlite') == trace_values(changes[: number + 1])
    end(journal)


def test_each_commit_is_synced(tmp_path: Path) -> None:
    connection = open_for_writing(tmp_path / 'j.sqlite')
    assert isinstance(connection, sqlite3.Connection)
    with closing(connection):
        assert connection.execute('PRAGMA synchronous').fetchone() == (FULL,)
        assert connection.execute('PRAGMA journal_mode').fetchone() == ('wal',)


def test_every_record_that_was_durable_is_in_the_whole_log(snapshot: Snapshot) -> None:
    assert len([each for each in snapshot.entries if each.goal_id.startswith('g')]) == (
        GOALS * (len(trace_values(a_goal('g'))) + 1)
    )
