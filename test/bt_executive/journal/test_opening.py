"""Files that cannot be a journal: a reason each, and they are left as they are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
import os
from pathlib import Path
import sqlite3

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journals import (
    MEMORY_ONLY,
    NOW,
    a_goal,
    call_opened,
    end,
    entries_of,
    goal_ended,
    mode,
    one_life,
    records_of,
    start,
)
import pytest

from bt_executive.core.journal import Durability, JournalCode
from bt_executive.core.journal_records import GoalReceived
from bt_executive.journal import opening
from bt_executive.journal.entries import all_entries, readable_entries
from bt_executive.journal.faults import FILE_ERRORS
from bt_executive.journal.opening import damage_of, open_for_reading, open_for_writing
from bt_executive.journal.reading_past import read_past
from bt_executive.journal.rows import DamagedRowError, table_of
from bt_executive.journal.schema import (
    APPLICATION_ID,
    checksum,
    create,
    migrate,
    migrations,
    version_of,
)
from rover_common.errors import JournalError
from rover_common.reason import Reason


def emptied(path: Path) -> None:
    path.touch()
    path.with_name(f'{path.name}-wal').write_bytes(b'not yet in the file')


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE somebodys (own TEXT)')


def newer(path: Path) -> None:
    create(path, [*migrations(), 'CREATE TABLE later (x)'])


def text(path: Path) -> None:
    path.write_text('Not a database, but the notes of somebody.\n' * 20)


def damaged(path: Path) -> None:
    one_life(path, a_goal('g'))
    whole = bytearray(path.read_bytes())
    whole[4096:8192] = b'\xff' * 4096
    path.write_bytes(whole)


UNUSABLE: dict[str, tuple[Callable[[Path], object], JournalCode, str]] = {
    'foreign': (foreign, JournalCode.FOREIGN, 'another program'),
    'text': (text, JournalCode.FOREIGN, 'another program'),
    'folder': (Path.mkdir, JournalCode.FOREIGN, 'no file'),
    'emptied': (emptied, JournalCode.DAMAGED, 'its log of changes is not'),
    'newer': (newer, JournalCode.NEWER, 'knows those up to'),
    'damaged': (damaged, JournalCode.DAMAGED, 'journal check'),
}


@pytest.mark.parametrize('what', UNUSABLE)
def test_a_file_that_cannot_be_used_is_a_reason_and_is_left_alone(
    tmp_path: Path, what: str
) -> None:
    path = tmp_path / 'j.sqlite'
    make, code, words = UNUSABLE[what]
    make(path)
    before = path.read_bytes() if path.is_file() else b''
    started = start(path)
    fault = started.journal.fault()
    assert fault is not None
    assert fault.code is code
    assert words in fault.sentence
    assert str(path) in fault.sentence
    assert '--journal FILE' in fault.sentence
    ticket = started.journal.put(NOW, mode('EXEC'))
    assert started.journal.durable(ticket) is Durability.NEVER
    assert (started.life, started.past) == (0, None)
    assert path.is_dir() or path.read_bytes() == before


def test_a_pipe_is_no_journal_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / 'j.sqlite')
    with pytest.raises(JournalError, match='is not a journal'):
        open_for_reading(tmp_path / 'j.sqlite')


def test_by_configuration_the_robot_acts_without_a_journal(tmp_path: Path) -> None:
    foreign(tmp_path / 'j.sqlite')
    journal = start(tmp_path / 'j.sqlite', MEMORY_ONLY).journal
    assert journal.fault() is not None
    assert journal.durable(journal.put(NOW, mode('EXEC'))).may_act


def test_a_missing_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / 'state' / 'deep' / 'j.sqlite'
    one_life(path)
    assert path.parent.stat().st_mode & 0o077 == 0
    assert path.stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_made_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    fault = start(tmp_path / 'file' / 'below' / 'j.sqlite').journal.fault()
    assert fault is not None
    assert fault.code is JournalCode.NO_FOLDER


def test_a_killed_creation_leaves_no_half_file_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    (tmp_path / 'j.sqlite.new').write_bytes(b'SQLite format 3\0, and then it was killed')
    one_life(path)
    assert len(entries_of(path)) == 2


def test_an_older_file_is_brought_up_to_date_and_keeps_its_entries(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    one_life(path, a_goal('g'))
    scripts = [*migrations(), 'CREATE TABLE more (x); INSERT INTO more VALUES (1)']
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, scripts)
        assert version_of(connection) == len(scripts)
        assert connection.execute('SELECT x FROM more').fetchall() == [(1,)]
        assert len(list(all_entries(connection))) == len(a_goal('g')) + 2


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    one_life(path)
    scripts = [*migrations(), 'CREATE TABLE more (x); CREATE TABLE goals (x)']
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.Error, match='goals already exists'):
            migrate(connection, scripts)
        assert version_of(connection) == len(migrations())
        tables = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'more'").fetchall()
        assert tables == []


def test_reading_creates_nothing(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    with pytest.raises(JournalError, match='No such file'):
        open_for_reading(path)
    assert list(tmp_path.iterdir()) == []
    one_life(path, a_goal('g'))
    before = {each.name for each in tmp_path.iterdir()}
    assert records_of(path) == a_goal('g')
    assert {each.name for each in tmp_path.iterdir()} == before == {'j.sqlite', 'j.sqlite.lock'}


def test_an_empty_file_is_a_new_journal(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    path.touch()
    with pytest.raises(JournalError, match='is empty'):
        open_for_reading(path)
    opened = open_for_writing(path)
    assert isinstance(opened, sqlite3.Connection)
    opened.close()
    with closing(open_for_reading(path)) as connection:
        assert damage_of(connection) == []


@pytest.mark.parametrize('what', ['foreign', 'newer', 'text'])
def test_what_is_no_journal_is_not_read_either(tmp_path: Path, what: str) -> None:
    path = tmp_path / 'j.sqlite'
    UNUSABLE[what][0](path)
    with pytest.raises(JournalError, match=r'j\.sqlite'):
        open_for_reading(path)


def test_a_file_that_somebody_has_for_himself_is_locked_and_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, 'BUSY_S', 0.05)
    path = tmp_path / 'j.sqlite'
    one_life(path, a_goal('g'))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('PRAGMA locking_mode = EXCLUSIVE')
        other.execute('CREATE TABLE more (x)')
        fault = start(path).journal.fault()
        assert fault is not None
        assert fault.code is JournalCode.LOCKED
    end(start(path).journal)
    assert records_of(path) == a_goal('g')


KEPT = [*a_goal('a'), goal_ended('a'), *a_goal('b'), call_opened('c.1', 'b'), mode('SAFE', 'tilt')]


@pytest.fixture(scope='module')
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp('whole') / 'j.sqlite'
    one_life(path, KEPT)
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_at_any_place_is_reported_or_does_not_matter(
    tmp_path: Path, whole: Path, data: st.DataObject
) -> None:
    path = tmp_path / 'j.sqlite'
    changed = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.integers(0, len(changed) - 1))
        changed[where] ^= data.draw(st.integers(1, 255))
    for old in tmp_path.iterdir():
        old.unlink()
    path.write_bytes(changed)
    connection = open_for_writing(path)
    if isinstance(connection, Reason):
        assert str(path) in connection.sentence
        return
    with closing(connection):
        try:
            read = [entry.record for entry in all_entries(connection)][1:-1]
            past = read_past(connection)
        except (DamagedRowError, *FILE_ERRORS):
            told: list[str] = []
            list(readable_entries(connection, told.append))
            assert damage_of(connection) or told
            return
        assert read == KEPT
        assert past is not None
        assert past.mode is not None
        assert past.mode.record == KEPT[-1]


def test_the_mark_of_our_files_is_known_to_tools() -> None:
    assert APPLICATION_ID.to_bytes(4, 'big') == b'btex'


def test_a_journal_that_ends_in_order_leaves_one_file_and_its_lock(tmp_path: Path) -> None:
    started = start(tmp_path / 'j.sqlite')
    end(started.journal)
    assert sorted(each.name for each in tmp_path.iterdir()) == ['j.sqlite', 'j.sqlite.lock']


def an_older_journal(path: Path) -> None:
    """Of the first version, with an operator's goal, an agent's, and one that is damaged."""
    create(path, migrations()[:1])
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, goal_id in enumerate((OPERATORS, AGENTS, 'damaged')):
            values = (number, 1, 1.0, 1.0, 1.0, 1.0, goal_id, 'look', 0, None, 1, '', '{}', 0)
            row: tuple[object, ...] = (*values, 'good_picture', 1.0)
            guard = checksum('goals', *row) + (goal_id == 'damaged')
            marks = ', '.join('?' * 17)
            connection.execute(f'INSERT INTO goals VALUES ({marks})', (*row, guard))


OPERATORS, AGENTS = '3c9a075f-dc8a-4bf1-96cc-6ebbf6a9e8fe', '3c9a075f-dc8a-8bf1-96cc-6ebbf6a9e8fe'


@pytest.mark.parametrize('how', [open_for_reading, open_for_writing])
def test_a_journal_of_the_first_version_keeps_its_goals_and_who_sent_them(
    tmp_path: Path, how: Callable[[Path], sqlite3.Connection]
) -> None:
    path = tmp_path / 'journal.db'
    an_older_journal(path)
    before = path.read_bytes()
    table = table_of(GoalReceived)
    with closing(how(path)) as connection:
        rows = connection.execute(f'{table.select} ORDER BY entry').fetchall()
    goals = [table.entry(row).record for row in rows[:2]]
    assert [(each.sender, each.lease_s) for each in goals] == [('operator', 0.0), ('agent', 3.0)]
    assert {each.done_when for each in goals} == {'{"where": {"is_good": true}}'}
    with pytest.raises(DamagedRowError):
        table.entry(rows[2])
    if how is open_for_reading:
        assert path.read_bytes() == before
