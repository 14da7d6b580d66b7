"""`bt-executive journal` as its user sees it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
import io
import json
from pathlib import Path
import sqlite3
import sys
from typing import Any

import pytest
from stores import Change, a_goal, end, event, goal_ended, one_run, put_all, said, start

from bt_executive import cli
from bt_executive.core.state import Decision
from bt_executive.core.store_port import Entry
from bt_executive.store import sqlite_opening_and_faults
from bt_executive.store.store_schema import TABLES
from bt_executive.store.store_writer import SqliteStore

Damage = Callable[[Path], object]
FIRST, SECOND = '11111111-aaaa', '22222222-bbbb'
CALL = {'session_id': 'c.1', 'call_id': 'call-1', 'label': '/adapter/drive', 'state': 'requested'}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / 'j.sqlite'
    opened = CALL | {'happened': 'open', 'arguments': {'x': 1.0}, 'idempotent': False}
    ended = CALL | {'happened': 'succeed', 'state': 'succeeded', 'reason': ''}
    allowed = Entry('DECIDE', event('look: allowed').entries[0].value, FIRST)
    entries = (
        allowed,
        Entry('CALL', opened, FIRST),
        Entry('CALL', ended, FIRST),
        Entry('DECISION', Decision(reason='go on'), FIRST),
    )
    one_run(
        path,
        [
            *a_goal(FIRST),
            said('x\x1b[2Jy', FIRST),
            Change({}, entries),
            goal_ended(FIRST),
            event('Not safe: tilt'),
            *a_goal(SECOND, priority=3),
        ],
    )
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv('COLUMNS', '200')

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(['journal', *map(str, arguments)])
        said = capsys.readouterr()
        return int(str(ended.value.code)), said.out, said.err

    return call


@pytest.mark.slow
def test_the_list_shows_each_goal_with_its_end(run: Any, path: Path) -> None:
    code, out, _ = run('list', '--journal', path)
    assert code == 0
    title, first, second = out.splitlines()
    assert title.split() == ['goal', 'received', 'status', 'steps', 'words']
    assert (first.split()[0], first.split()[3]) == ('11111111', 'reached')
    assert (second.split()[0], second.split()[3]) == ('22222222', 'active')
    assert 'the words of 22222222-bbbb (priority 3)' in second
    assert run('list', '--journal', path, '--last', 1)[1].count('\n') == 2
    assert run('list', '--journal', path, '--last', 10**20)[1] == out
    assert run('list', '--journal', path, '--last', 0)[::2] == (
        2,
        'bt-executive: --last is 0: give 1 or more.\n',
    )


@pytest.mark.slow
def test_the_latest_goal_is_listed_though_the_clock_was_set_back(
    run: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = partial(SqliteStore, system=lambda: 100.0)
    monkeypatch.setattr('bt_executive.store.store_lock_and_previous_run.SqliteStore', store)
    one_run(path, a_goal('33333333-cccc'))
    assert run('list', '--journal', path, '--last', 1)[1].splitlines()[1].startswith('33333333')


def test_one_goal_is_shown_as_its_timeline(run: Any, path: Path) -> None:
    code, out, _ = run('show', '1111', '--journal', path)
    assert code == 0
    words = [
        'the words of 11111111-aaaa',
        'operator: x',
        'look: allowed',
        'c.1 /adapter/drive',
        'c.1 succeed → succeeded',
        'CONTINUE: go on',
        'reached: It is done.',
    ]
    places = [out.index(each) for each in words]
    assert places == sorted(places)
    assert '\x1b[2J' not in out
    assert 'tilt' not in out


def test_an_event_of_a_later_version_is_shown_without_what_is_new(
    run: Any, tmp_path: Path
) -> None:
    begun = {'event_id': 'e-9', 'ts': 9.0, 'kind': 'OBSERVE', 'message': 'later', 'mood': 0.5}
    path = tmp_path / 'j.sqlite'
    one_run(path, [*a_goal('g'), Change({}, (Entry('OBSERVE', begun, 'g'),))])
    code, out, _ = run('show', 'g', '--journal', path)
    assert (code, 'later' in out) == (0, True)


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['show', '9'], "No goal '9' in this journal"),
        (['show'], 'journal show needs a GOAL'),
        (['list', FIRST], 'journal list takes no GOAL'),
        (['export', '9'], "No goal '9' in this journal"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    run: Any, path: Path, arguments: list[str], words: str
) -> None:
    code, out, err = run(*arguments, '--journal', path)
    assert (code, out) == (2, '')
    assert words in err
    assert err.count('\n') == 1


def test_an_ambiguous_beginning_is_refused(run: Any, tmp_path: Path) -> None:
    one_run(tmp_path / 'j.sqlite', [*a_goal('ab'), *a_goal('ac')])
    code, _, err = run('show', 'a', '--journal', tmp_path / 'j.sqlite')
    assert code == 2
    assert '2 goals begin with' in err


@pytest.mark.parametrize('action', ['list', 'export', 'prune', 'check'])
def test_a_missing_journal_is_one_sentence_and_stays_missing(
    run: Any, tmp_path: Path, action: str
) -> None:
    code, out, err = run(action, '--journal', tmp_path / 'none.sqlite')
    assert (code, out) == (2, '')
    assert 'none.sqlite' in err
    assert err.count('\n') == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize('action', ['list', 'export', 'prune', 'check'])
def test_somebody_elses_file_is_refused(run: Any, tmp_path: Path, action: str) -> None:
    path = tmp_path / 'own.sqlite'
    with sqlite3.connect(path) as connection:
        connection.execute('CREATE TABLE own (x)')
    connection.close()
    before = path.read_bytes()
    code, _, err = run(action, '--journal', path)
    assert code == 2
    assert 'is not a journal of bt-executive' in err
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_while_an_export_is_shown_the_journal_is_not_kept_open(
    run: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = start(path).store
    put_all(store, [said('x')])
    shown: list[str] = []
    with closing(sqlite3.connect(path, timeout=0.0)) as connection:

        class Pager(io.StringIO):
            def write(self, text: str) -> int:
                (busy, *_) = connection.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone()
                shown.append(f'busy: {busy}')
                return len(text)

        monkeypatch.setattr(sys, 'stdout', Pager())
        run('export', '--journal', path)
    end(store)
    assert set(shown) == {'busy: 0'}


def test_an_export_is_json_line_by_line(run: Any, path: Path) -> None:
    code, out, _ = run('export', '--journal', path)
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    entries = [line for line in lines if 'kind' in line]
    numbers = [line['entry'] for line in entries]
    assert numbers == sorted(set(numbers))
    assert entries[0]['kind'] == 'RUN'
    assert entries[-1]['kind'] == 'RUN_END'
    assert entries[-1]['value'] == {'how': 'done'}
    names = {line['name'] for line in lines if 'kind' not in line}
    assert names == {'run', 'goals', f'goal/{SECOND}', f'progress/{SECOND}'}
    of_goal = [*map(json.loads, run('export', '2222', '--journal', path)[1].splitlines())]
    assert {line['goal_id'] for line in of_goal if 'kind' in line} == {SECOND}
    assert [line['name'] for line in of_goal if 'kind' not in line] == [
        f'goal/{SECOND}',
        f'progress/{SECOND}',
    ]


@pytest.mark.slow
def test_prune_forgets_by_the_configuration(run: Any, path: Path) -> None:
    code, out, _ = run('prune', '--journal', path, '--set', 'journal.keep_days=0.000000000001')
    assert code == 0
    assert out.startswith('1 goals forgotten')
    assert run('show', FIRST, '--journal', path)[0] == 2
    assert run('show', SECOND, '--journal', path)[0] == 0


def test_what_an_executive_has_is_read_but_not_pruned(run: Any, path: Path) -> None:
    store = start(path).store
    put_all(store, a_goal('third'))
    assert 'third' in run('list', '--journal', path)[1]
    code, _, err = run('prune', '--journal', path)
    assert code == 2
    assert 'belongs to an executive that runs' in err
    end(store)


@pytest.mark.slow
def test_check_says_that_all_is_well_or_what_is_not(run: Any, path: Path) -> None:
    code, out, _ = run('check', '--journal', path)
    assert code == 0
    assert '1 runs, 2 goals' in out
    assert 'Every row is as it was written.' in out
    with sqlite3.connect(path) as connection:
        connection.execute('UPDATE parts SET value = ? WHERE part = ?', ('{}', 'goals'))
    connection.close()
    code, out, err = run('check', '--journal', path)
    assert code == 1
    assert 'damaged' in out
    assert "part 'goals' does not fit its checksum" in err
    code, _, err = run('list', '--journal', path)
    assert code == 2
    assert '`check` says' in err
    code, out, err = run('export', '--journal', path)
    assert code == 1
    assert 'checksum' in err
    assert '"goal":"the words of 22222222-bbbb"' in out


def with_sql(*statements: str) -> Damage:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return change


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def without_last_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def without_last_byte(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize('action', ['list', 'export', 'check'])
@pytest.mark.parametrize(
    ('damage', 'problem', 'advice'),
    [
        (Path.unlink, 'cannot be read (No such file or directory)', ''),
        (lambda path: path.write_bytes(b''), 'is empty', 'start one, or '),
        (lambda path: path.write_bytes(b'text'), 'is not a journal of bt-executive', ''),
        (replaced_by_folder, 'is not a journal of bt-executive', ''),
        (without_last_half, 'because it is damaged (database disk', 'restore a copy of it, or '),
        (
            with_sql('PRAGMA user_version = 9'),
            'its version is 9, this program knows 3 to 4',
            'use the version that wrote it, or ',
        ),
    ],
)
def test_a_journal_that_cannot_be_opened_is_one_sentence_with_advice(
    run: Any, path: Path, action: str, damage: Damage, problem: str, advice: str
) -> None:
    damage(path)
    code, out, err = run(action, '--journal', path)
    assert (code, out) == (2, '')
    assert str(path) in err
    assert problem in err
    assert f'{advice}name another one with --journal FILE.\n' in err
    assert err.count('\n') == 1


@pytest.mark.parametrize(
    ('damage', 'problem'),
    [
        (with_sql("UPDATE parts SET value = '{}' WHERE part = 'goals'"), "part 'goals' does not"),
        (with_sql('UPDATE trace SET system_s = 1 WHERE entry = 1'), 'entry 1 of the trace does'),
        (with_sql("UPDATE runs SET value = '{}'"), 'run 1 does not fit its checksum'),
        (
            with_sql("INSERT INTO inputs VALUES (99, 1, 0, 0, 0, 0, 'tick', 1, 0, '{}', 7)"),
            'input 99 does not fit its checksum',
        ),
        (without_last_byte, 'it ends within a page, 1 B short'),
        *((with_sql(f'DROP TABLE {table}'), f'no such table: {table}') for table in TABLES),
    ],
)
def test_a_check_reads_every_table_and_ends_with_advice(
    run: Any, path: Path, damage: Damage, problem: str
) -> None:
    damage(path)
    code, out, err = run('check', '--journal', path)
    assert (code, 'damaged' in out) == (1, True)
    assert problem in err
    advice = 'save what `export` gives and move the file away, or name another one with --journal'
    assert advice in err.splitlines()[-1]


def test_a_locked_journal_is_not_called_damaged(
    run: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_opening_and_faults, 'BUSY_S', 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute('PRAGMA locking_mode = EXCLUSIVE')
    other.execute('CREATE TABLE more (x)')
    code, _, err = run('check', '--journal', path)
    other.close()
    assert code == 2
    assert 'locked' in err
    assert 'damaged' not in err
