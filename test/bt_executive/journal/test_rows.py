"""Records as rows: read as they were written, or reported."""

from __future__ import annotations

from contextlib import closing
from dataclasses import fields
import math
import sqlite3

from hypothesis import given
from hypothesis import strategies as st
from journals import any_record, call_opened, goal_ended
import pytest

from bt_executive.core.journal_records import BudgetUsed, Message, Record
from bt_executive.journal.rows import TABLES, DamagedRowError, Entry, Stamp, all_tables, table_of
from bt_executive.journal.schema import migrate, migrations

AT = Stamp(1.0, 2.0, 3.0, 4.0)


def stored(record: Record) -> tuple[object, ...]:
    """The row as SQLite gives it back."""
    table = table_of(type(record))
    with closing(sqlite3.connect(':memory:', isolation_level=None)) as connection:
        migrate(connection, migrations())
        connection.execute(table.insert, table.row(Entry(1, 1, AT, record)))
        row: tuple[object, ...] = connection.execute(table.select).fetchone()
        return row


@given(record=any_record)
def test_what_is_read_is_what_was_written(record: Record) -> None:
    entry = table_of(type(record)).entry(stored(record))
    assert entry == Entry(1, 1, AT, record)


@given(record=any_record, data=st.data())
def test_a_value_that_has_changed_is_reported(record: Record, data: st.DataObject) -> None:
    row = list(stored(record))
    where = data.draw(st.integers(0, len(row) - 1))
    old = row[where]
    row[where] = data.draw(
        st.sampled_from(['?', -7, 0.125, None]).filter(lambda other: other != old)
    )
    with pytest.raises(DamagedRowError, match=table_of(type(record)).name):
        table_of(type(record)).entry(row)


def test_every_column_is_a_field_of_the_record() -> None:
    with closing(sqlite3.connect(':memory:', isolation_level=None)) as connection:
        migrate(connection, migrations())
        for kind, name in TABLES.items():
            info = connection.execute(f'PRAGMA table_info({name})').fetchall()
            columns = sorted(row[1] for row in info)  # a migration appends, behind the checksum
            assert columns == sorted(table_of(kind).columns)
            assert {each.name for each in fields(kind)} < set(columns)
    assert len(all_tables()) == len(Record.__subclasses__())


def test_a_score_that_is_no_number_is_kept_as_unknown() -> None:
    budget = BudgetUsed(
        steps=1, refusals=0, distance_m=-0.0, energy_pct=0.0, elapsed_s=0.0, last_score=math.nan
    )
    read = table_of(BudgetUsed).entry(stored(budget)).record
    assert read.last_score is None
    assert read.distance_m == 0.0


def test_text_that_no_file_can_hold_is_kept_readable() -> None:
    said = Message(speaker='planner', role='ai', content='a\ud800\0b', data={'k': '\ud800'})
    read = table_of(Message).entry(stored(said)).record
    assert read.content == 'a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b'
    assert read.data == {'k': '\N{REPLACEMENT CHARACTER}'}


def test_what_json_does_not_know_is_written_in_the_nearest_form() -> None:
    opened = call_opened('c.1', arguments={'set': {2, 1}, 'at': AT, 'what': goal_ended})
    read = table_of(type(opened)).entry(stored(opened)).record
    assert read.arguments['set'] == [1, 2]
    assert read.arguments['at'] == {'ros_s': 1.0, 'robot_s': 2.0, 'steady_s': 3.0, 'system_s': 4.0}
    assert 'goal_ended' in read.arguments['what']
