"""Rows: read as they were written, or reported."""

from __future__ import annotations

from contextlib import closing
import sqlite3
from typing import Any
from zlib import crc32

from any_value import every_field
from hypothesis import given
from hypothesis import strategies as st
import pytest
from stores import NOW, progress

from bt_executive.core.call_table import ServerCall
from bt_executive.core.executive_ports import Proposal
from bt_executive.core.goal_queue import Task
from bt_executive.core.store_port import Entry, InputLine
from bt_executive.store.inputs_from_journal_or_export import processes_in
from bt_executive.store.store_rows import (
    DamagedRowError,
    SavedEntry,
    SavedPart,
    Stamp,
    entry_row,
    input_row,
    part_row,
    read_entries,
    read_parts,
    run_row,
)
from bt_executive.store.store_schema import INPUTS_SCHEMA, SCHEMA, TABLES, checksum
from bt_executive.tree.persistent_state import (
    ApprovalPart,
    GoalsPart,
    ModePart,
    MotionPart,
    RoundPart,
    Step,
    SteppingPart,
    read_part,
)
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint

AT = Stamp(1, 1, 1.0, 2.0, 3.0, 4.0)
KINDS = (
    GoalsPart,
    ModePart,
    RoundPart,
    MotionPart,
    SteppingPart,
    Step,
    Task,
    ServerCall,
    ApprovalPart,
)
any_part: st.SearchStrategy[Any] = st.one_of(
    *map(every_field, KINDS), st.just(progress(began_at=((1.0, 2.0),), last_score=0.5))
)
st.register_type_strategy(Endpoint, st.just(Endpoint(name='/a', type='a/srv/B', kind='service')))


def stored(value: Any, *changes: tuple[str, str, Any]) -> tuple[SavedPart, SavedEntry]:
    """A part and an entry with this value, as they are read; `changes`: table, column, value."""
    with closing(sqlite3.connect(':memory:', isolation_level=None)) as connection:
        connection.executescript(SCHEMA + INPUTS_SCHEMA)
        connection.execute(*run_row(AT, {'run_id': 'r', 'started_at': 'noon'}))
        connection.execute(*input_row(AT._replace(entry=2), InputLine(NOW, 'BatterySeen', value)))
        connection.execute(*part_row(AT, 'p', value))
        connection.execute(*entry_row(AT, Entry('STEP', value, 'g')))
        for table, column, changed in changes:
            connection.execute(f'UPDATE {table} SET {column} = ?', (changed,))
        (process,) = processes_in(connection, 'here', [('r', 'noon')])
        assert process.entries[0]['event'] == 'BatterySeen'
        return read_parts(connection)['p'], next(read_entries(connection))


@pytest.mark.slow
@given(value=any_part)
def test_what_is_read_is_what_was_written(value: Any) -> None:
    part, entry = stored(value)
    assert read_part(type(value), part.value) == value
    assert read_part(type(value), entry.value) == value
    assert (part.at, entry.at, entry.goal_id) == (AT, AT, 'g')


@pytest.mark.parametrize('table', TABLES)
@given(data=st.data())
@pytest.mark.slow
def test_a_value_that_has_changed_is_reported(table: str, data: st.DataObject) -> None:
    columns = ['run', 'ros_s', 'robot_s', 'steady_s', 'system_s', 'value', 'crc32']
    columns += ['kind', 'goal_id', 'goal_end'] if table == 'trace' else []
    columns += ['event', 'nth', 'again'] if table == 'inputs' else []
    columns = ['system_s', 'value', 'crc32'] if table == 'runs' else columns
    column = data.draw(st.sampled_from(columns))
    changed = data.draw(st.sampled_from(['?', -7, 0.125, '{}']))
    with pytest.raises(DamagedRowError, match='does not fit its checksum'):
        stored({'a': 1}, (table, column, changed))


def test_a_time_that_is_no_number_is_kept_as_unknown() -> None:
    stamp = Stamp.of(1, 1, Now.at(float('nan')), -0.0)
    assert stamp[2:] == (None, None, None, 0.0)


def test_text_that_no_file_can_hold_is_kept_readable() -> None:
    _, entry = stored({'content': 'a\ud800\0b', 'data': {'k': '\ud800'}})
    assert entry.value['content'].startswith('a\N{REPLACEMENT CHARACTER}')
    assert entry.value['data'] == {'k': '\N{REPLACEMENT CHARACTER}'}


def test_what_json_does_not_know_is_written_in_the_nearest_form() -> None:
    part, _ = stored({'set': {2}, 'at': Proposal('c', 't', {}), 'what': stored})
    assert part.value['set'] == [2]
    assert part.value['at']['tool'] == 't'
    assert 'stored' in part.value['what']


def test_a_checksum_does_not_depend_on_the_characters_that_this_python_knows() -> None:
    assert checksum('\u3042', 1.0) == crc32(rb"('\u3042', 1.0)")


def test_a_row_whose_checksum_an_earlier_version_has_written_is_read() -> None:
    values = ('p', *AT, '"\u3042"')
    earlier = crc32(repr(values).encode())
    part, _ = stored('\u3042', ('parts', 'crc32', earlier))
    assert part.value == '\u3042'
    assert earlier != checksum(*values)
