"""A file of an earlier version is brought up to date; one of a later version is left alone."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
import sqlite3

from meanwhile import do_before_statement
import numpy as np
import pytest

from embodied_nav.nodes_of_forest import Node
from embodied_nav.spatial_memory import open_memory
from embodied_nav.store.memory_store import Scope
from embodied_nav.store.sqlite_store import VERSION, SqliteStore
from rover_common.errors import MemoryStoreError, StoreUnusableError

AS_VERSION_1 = """
DROP INDEX nodes_by_x;
DROP TABLE places;
CREATE VIRTUAL TABLE places USING rtree (
  nid, min_x, max_x, min_y, max_y, min_z, max_z, first_stage, last_stage
);
INSERT INTO places SELECT nid, x, x, y, y, z, z, level + 1, parent_level FROM nodes;
ALTER TABLE nodes DROP COLUMN retracted_at;
PRAGMA user_version = 1
"""
AS_VERSION_2 = 'ALTER TABLE nodes DROP COLUMN retracted_at; PRAGMA user_version = 2'


def thing(name: str, x: float, y: float) -> Node:
    return Node(node_id=name, name=name, position=(x, y, 0.0))


def kept(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        store.put_all([thing('near', 1.0, 2.0), thing('far', 0.0, 0.0)])


def change(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute('PRAGMA user_version').fetchone()
        return int(version)


@pytest.mark.parametrize('as_earlier', [AS_VERSION_1, AS_VERSION_2])
def test_a_file_of_an_earlier_version_is_brought_up_to_date(
    tmp_path: Path, as_earlier: str
) -> None:
    path = tmp_path / 'memory.sqlite'
    kept(path)
    change(path, as_earlier)
    with closing(SqliteStore(path)) as store:
        assert [each.node_id for each in store.within((1.0, 2.0, 0.0), 0.5, Scope())] == ['near']
        store.put(thing('new', 1.1, 2.0))
        found = store.within((1.0, 2.0, 0.0), 0.5, Scope())
        assert [each.node_id for each in found] == ['near', 'new']
    assert version_of(path) == VERSION


@pytest.mark.parametrize('as_earlier', ['', AS_VERSION_1, AS_VERSION_2])
def test_two_processes_that_begin_at_once_have_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_earlier: str
) -> None:
    path = tmp_path / 'memory.sqlite'
    if as_earlier:
        kept(path)
        change(path, as_earlier)
    do_before_statement(monkeypatch, 'PRAGMA synchronous', lambda: kept(path))
    with closing(SqliteStore(path)) as store:
        assert sorted(each.node_id for each in store.nodes(Scope())) == ['far', 'near']
    assert version_of(path) == VERSION


@pytest.mark.parametrize('reading', ['_load', '_load_changes'])
def test_what_another_process_writes_while_this_one_reads_is_read_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading: str
) -> None:
    path, row = tmp_path / 'memory.sqlite', np.ones(2, np.float32)
    kept(path)
    late = [thing('late', 5.0, 5.0)]
    opened = [SqliteStore(path)] if reading == '_load_changes' else []
    other, read = SqliteStore(path), getattr(SqliteStore, reading)

    def read_and_be_overtaken(self: SqliteStore) -> None:
        read(self)
        while late:
            other.put(late.pop(), row)

    monkeypatch.setattr(SqliteStore, reading, read_and_be_overtaken)
    with closing(other), closing(opened.pop() if opened else SqliteStore(path)) as store:
        other.put(thing('earlier', 3.0, 3.0), row)
        store.nearest(row, Scope(), 5)
        other.put(thing('later', 7.0, 7.0), row)
        found = [each for each, _ in store.nearest(row, Scope(), 5)]
        assert sorted(found) == ['earlier', 'late', 'later']


def test_a_file_of_a_later_version_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    kept(path)
    change(path, f'PRAGMA user_version = {VERSION + 1}')
    with pytest.raises(MemoryStoreError, match='start the version that wrote it'):
        SqliteStore(path)
    assert version_of(path) == VERSION + 1


def test_a_full_disk_is_one_sentence_and_changes_nothing(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / 'memory.sqlite')) as store:
        (pages,) = store._connection.execute('PRAGMA page_count').fetchone()
        store._connection.execute(f'PRAGMA max_page_count = {pages + 2}')
        with pytest.raises(StoreUnusableError, match='look at the disk'):
            store.put_all([thing(f'thing_{n}', float(n), 0.0) for n in range(100)])
        assert list(store.nodes(Scope())) == []


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / 'other.sqlite'
    other = sqlite3.connect(path)
    other.execute('CREATE TABLE kept (x)')
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(MemoryStoreError, match='another program'):
        open_memory(path)
    assert path.read_bytes() == before


def test_a_damaged_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    path.write_bytes(b'SQLite format 3\0' + b'\xff' * 5000)
    with pytest.raises(MemoryStoreError, match='cannot be used'):
        open_memory(path)
