"""Files that cannot be a journal: a reason each, and they are left as they are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
import fcntl
import os
from pathlib import Path
import sqlite3
import struct

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
import pytest
from stores import (
    MEMORY_ONLY,
    NOW,
    Change,
    a_goal,
    end,
    entries_of,
    goal_ended,
    one_run,
    put_all,
    said,
    start,
    trace_of,
    trace_values,
)

from bt_executive.core.state import Mode
from bt_executive.core.store_port import Durability, StoreCode
from bt_executive.store import sqlite_opening_and_faults
from bt_executive.store.sqlite_opening_and_faults import (
    FILE_ERRORS,
    find_damage,
    open_for_reading,
    open_for_writing,
    reading,
)
from bt_executive.store.store_lock_and_previous_run import read_saved
from bt_executive.store.store_rows import DamagedRowError, read_entries, read_parts
from bt_executive.store.store_schema import APPLICATION_ID, VERSION, create, set_aside
from bt_executive.tree.persistent_state import ModePart
from rover_common.errors import JournalError
from rover_common.reason import Reason


def emptied(path: Path) -> None:
    path.touch()
    path.with_name(f'{path.name}-wal').write_bytes(b'not yet in the file')


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE somebodys (own TEXT)')


def of_version(version: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        create(path)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f'PRAGMA user_version = {version}')

    return make


def text(path: Path) -> None:
    path.write_text('Not a database, but the notes of somebody.\n' * 20)


def damaged(path: Path) -> None:
    one_run(path, a_goal('g'))
    whole = bytearray(path.read_bytes())
    whole[4096:8192] = b'\xff' * 4096
    path.write_bytes(whole)


UNUSABLE: dict[str, tuple[Callable[[Path], object], StoreCode, str]] = {
    'foreign': (foreign, StoreCode.FOREIGN, 'another program'),
    'text': (text, StoreCode.FOREIGN, 'another program'),
    'folder': (Path.mkdir, StoreCode.FOREIGN, 'no file'),
    'emptied': (emptied, StoreCode.DAMAGED, 'its log of changes is not'),
    'newer': (of_version(VERSION + 1), StoreCode.OTHER_VERSION, 'start the version that wrote it'),
    'damaged': (damaged, StoreCode.DAMAGED, 'journal check'),
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
    fault = started.store.fault()
    assert fault is not None
    assert fault.code is code
    assert words in fault.sentence
    assert str(path) in fault.sentence
    assert '--journal FILE' in fault.sentence
    ticket = started.store.put(NOW, {'mode': 'EXEC'})
    assert started.store.durable(ticket) is Durability.NEVER
    assert (started.run, started.saved) == (0, None)
    assert path.is_dir() or path.read_bytes() == before


def test_a_file_of_an_older_version_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    of_version(1)(path)
    before = path.read_bytes()
    with pytest.raises(JournalError, match='its version is 1, this program knows'):
        open_for_reading(path)
    started = start(path)
    end(started.store)
    assert started.run == 1
    assert path.with_name('j.sqlite.old').read_bytes() == before


def test_what_was_set_aside_before_stays(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    for content in ('first', 'second'):
        path.write_text(content)
        if content == 'first':
            path.with_name('j.sqlite-wal').write_text('of the first')
        set_aside(path)
    kept = {each.name: each.read_text() for each in tmp_path.iterdir()}
    assert kept == {
        'j.sqlite.old': 'first',
        'j.sqlite.old-wal': 'of the first',
        'j.sqlite.old-2': 'second',
    }


@pytest.mark.parametrize('earlier_goals', [0, 20], ids=['all in the log', 'most in the file'])
def test_the_log_of_a_file_that_was_moved_away_is_not_read_into_the_new_one(
    tmp_path: Path, earlier_goals: int
) -> None:
    path, log = tmp_path / 'j.sqlite', tmp_path / 'j.sqlite-wal'
    one_run(path, [change for number in range(earlier_goals) for change in a_goal(f'g{number}')])
    killed = start(path).store
    put_all(killed, a_goal('open'))
    left = log.read_bytes()
    end(killed)
    path.rename(tmp_path / 'moved')
    log.write_bytes(left)
    started = start(path)
    end(started.store)
    assert (started.run, started.saved) == (1, None)
    assert path.with_name('j.sqlite.old-wal').read_bytes() == left


def test_a_pipe_is_no_journal_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / 'j.sqlite')
    with pytest.raises(JournalError, match='is not a journal'):
        open_for_reading(tmp_path / 'j.sqlite')


def test_by_configuration_the_robot_acts_without_a_journal(tmp_path: Path) -> None:
    foreign(tmp_path / 'j.sqlite')
    journal = start(tmp_path / 'j.sqlite', MEMORY_ONLY).store
    assert journal.fault() is not None
    assert journal.durable(journal.put(NOW, {'mode': 'EXEC'})).may_act


def test_a_missing_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / 'state' / 'deep' / 'j.sqlite'
    one_run(path)
    assert path.parent.stat().st_mode & 0o077 == 0
    assert path.stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_made_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    fault = start(tmp_path / 'file' / 'below' / 'j.sqlite').store.fault()
    assert fault is not None
    assert fault.code is StoreCode.NO_FOLDER


def test_a_killed_creation_leaves_no_partial_file(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    (tmp_path / 'j.sqlite.new').write_bytes(b'SQLite format 3\0, and then it was killed')
    one_run(path)
    assert len(entries_of(path)) == 2


def test_reading_creates_nothing(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    with pytest.raises(JournalError, match='No such file'):
        open_for_reading(path)
    assert list(tmp_path.iterdir()) == []
    one_run(path, a_goal('g'))
    before = {each.name for each in tmp_path.iterdir()}
    assert trace_of(path) == trace_values(a_goal('g'))
    assert {each.name for each in tmp_path.iterdir()} == before == {'j.sqlite', 'j.sqlite.lock'}


@pytest.mark.parametrize('fails', [False, True])
def test_what_is_read_while_an_executive_starts_and_writes_is_not_used(
    tmp_path: Path, fails: bool
) -> None:
    path = tmp_path / 'j.sqlite'
    one_run(path, a_goal('g'))

    def write() -> None:
        one_run(path, [said('x' * 10_000)])
        if fails:
            raise sqlite3.DatabaseError('database disk image is malformed')

    with pytest.raises(JournalError, match='was written while it was read'), reading(path):
        write()


def test_a_journal_that_is_written_is_read_beside_its_executive(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    store = start(path).store
    put_all(store, a_goal('g'))
    with reading(path) as connection:
        put_all(store, a_goal('h'))
        end(store)
        assert {entry.goal_id for entry in read_entries(connection)} - {''} == {'g'}


def test_an_empty_file_is_a_new_journal(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    path.touch()
    with pytest.raises(JournalError, match='is empty'):
        open_for_reading(path)
    opened = open_for_writing(path)
    assert isinstance(opened, sqlite3.Connection)
    opened.close()
    with closing(open_for_reading(path)) as connection:
        assert find_damage(connection) == []


PLACE_OF_LOCKS = 0x40000000  # in the file, by SQLite's format


def is_locked(descriptor: int) -> bool:
    """Whether somebody has locked the file, as one who shares no lock with this process sees."""
    wanted = struct.pack('hhqqi4x', fcntl.F_WRLCK, os.SEEK_SET, PLACE_OF_LOCKS, 512, 0)
    found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, wanted)
    return bool(struct.unpack('hhqqi4x', found)[0] != fcntl.F_UNLCK)


def test_a_journal_stays_locked_while_this_process_opens_it_again(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    with closing(opened(path)):
        descriptor = os.open(path, os.O_RDWR)
        assert is_locked(descriptor)
        opened(path).close()
        open_for_reading(path).close()
        assert is_locked(descriptor)
    assert not is_locked(descriptor)
    os.close(descriptor)


def opened(path: Path) -> sqlite3.Connection:
    connection = open_for_writing(path)
    assert not isinstance(connection, Reason)
    return connection


@pytest.mark.parametrize('what', ['foreign', 'newer', 'text'])
def test_what_is_no_journal_is_not_read_either(tmp_path: Path, what: str) -> None:
    path = tmp_path / 'j.sqlite'
    UNUSABLE[what][0](path)
    with pytest.raises(JournalError, match=r'j\.sqlite'):
        open_for_reading(path)


def test_a_file_that_somebody_has_for_himself_is_locked_and_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_opening_and_faults, 'BUSY_S', 0.05)
    path = tmp_path / 'j.sqlite'
    one_run(path, a_goal('g'))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute('PRAGMA locking_mode = EXCLUSIVE')
        other.execute('CREATE TABLE more (x)')
        fault = start(path).store.fault()
        assert fault is not None
        assert fault.code is StoreCode.LOCKED
    end(start(path).store)
    assert trace_of(path) == trace_values(a_goal('g'))


SAFE_MODE = Change({'mode': ModePart(Mode.SAFE, safety_reason='tilt')})
KEPT = [*a_goal('a'), goal_ended('a'), *a_goal('b'), said('hello', 'b'), SAFE_MODE]


@pytest.fixture(scope='module')
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp('whole') / 'j.sqlite'
    one_run(path, KEPT)
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
@pytest.mark.slow
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
            read = list(read_entries(connection))[1:-1]
            saved = read_saved(connection)
        except (DamagedRowError, *FILE_ERRORS):
            sentences: list[str] = []
            list(read_entries(connection, on_damage=sentences.append))
            read_parts(connection, sentences.append)
            assert find_damage(connection) or sentences
            return
        assert [(each.kind, each.goal_id, each.value) for each in read] == trace_values(KEPT)
        assert saved is not None
        assert saved.parts['mode']['safety_reason'] == 'tilt'
        assert saved.parts['goals']['order'] == ['b']


def test_tools_recognise_the_application_id() -> None:
    assert APPLICATION_ID.to_bytes(4, 'big') == b'btex'


def test_a_journal_that_ends_in_order_leaves_one_file_and_its_lock(tmp_path: Path) -> None:
    started = start(tmp_path / 'j.sqlite')
    end(started.store)
    assert sorted(each.name for each in tmp_path.iterdir()) == ['j.sqlite', 'j.sqlite.lock']
