"""The journal stays within its bounds, and keeps what is open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
import sqlite3
import time

from journals import (
    SAFE,
    a_goal,
    call_opened,
    end,
    entries_of,
    goal_ended,
    mode,
    one_life,
    put_all,
    records_of,
    start,
)
import pytest
from waiting import wait_until

from bt_executive.core.journal_records import LifeBegan, Message, ModeChanged, Record
from bt_executive.journal.opening import damage_of
from bt_executive.journal.retention import DAY_S, Retention, size_bytes

NOW_S = time.time()


def ended(goal_id: str, *more: Record) -> list[Record]:
    return [*a_goal(goal_id), *more, goal_ended(goal_id)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / 'j.sqlite'


def pruned(path: Path, retention: Retention, system_s: float = NOW_S) -> list[str]:
    """The goals that were forgotten."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        found = list(_all(connection, retention, system_s))
        assert damage_of(connection) == []
        return found


def _all(connection: sqlite3.Connection, retention: Retention, system_s: float) -> Iterator[str]:
    while (goal_id := retention.make_room(connection, system_s)) is not None:
        yield goal_id


def goals_in(records: Iterable[Record]) -> set[str]:
    return {record.goal_id for record in records} - {''}


def test_old_goals_that_have_ended_are_forgotten(path: Path) -> None:
    one_life(path, [*ended('a'), *a_goal('open'), *ended('b')])
    retention = Retention(keep_days=2.0, max_mb=100.0)
    assert pruned(path, retention, NOW_S + DAY_S) == []
    assert not retention.due
    assert pruned(path, retention, NOW_S + 3 * DAY_S) == ['a', 'b']
    assert goals_in(records_of(path)) == {'open'}


def test_a_large_journal_forgets_the_oldest_goals_and_shrinks(path: Path) -> None:
    long = Message(speaker='planner', role='ai', content='x' * 100_000)
    for number in range(30):
        one_life(path, ended(f'g{number}', *[Message(**{**vars(long), 'goal_id': f'g{number}'})]))
    before = path.stat().st_size
    gone = pruned(path, Retention(keep_days=30.0, max_mb=1.0))
    assert gone == [f'g{number}' for number in range(len(gone))]
    assert 15 < len(gone) < 30
    assert path.stat().st_size < before / 2
    with closing(sqlite3.connect(path)) as connection:
        assert size_bytes(connection) <= 1_000_000


def test_what_is_open_stays(path: Path) -> None:
    records = [*ended('a', call_opened('c.1', 'a')), mode('SAFE', 'tilt'), call_opened('stop.2')]
    one_life(path, [mode('EXEC'), *records, *ended('b')])
    assert pruned(path, Retention(1.0, 100.0), NOW_S + 9 * DAY_S) == ['b']
    kept = records_of(path)
    assert goals_in(kept) == {'a'}
    assert [each.safety_reason for each in kept if isinstance(each, ModeChanged)][-1] == 'tilt'
    started = start(path)
    end(started.journal)
    assert started.past is not None
    assert {each.opened.record.session_id for each in started.past.calls} == {'c.1', 'stop.2'}


def test_what_has_no_goal_goes_with_the_goals_of_its_time(path: Path) -> None:
    one_life(path, [mode('IDLE'), *ended('a'), mode('EXEC'), *ended('b'), mode('CHARGE')])
    pruned(path, Retention(1.0, 100.0), NOW_S + 9 * DAY_S)
    modes = [each.mode for each in records_of(path) if isinstance(each, ModeChanged)]
    assert modes == ['CHARGE']


def test_the_lives_of_goals_that_are_kept_are_kept(path: Path) -> None:
    one_life(path, ended('a'))
    one_life(path, [*ended('b'), *a_goal('open')], boot_id='second boot')
    one_life(path)
    assert pruned(path, Retention(1.0, 100.0), NOW_S + 9 * DAY_S) == ['a', 'b']
    lives = [entry for entry in entries_of(path) if isinstance(entry.record, LifeBegan)]
    assert [entry.life for entry in lives] == [2, 3]
    started = start(path)
    end(started.journal)
    assert started.life == 4
    assert started.past is not None
    assert started.past.boots[2] == 'second boot'


def test_the_writer_forgets_while_nothing_waits(path: Path) -> None:
    settings = SAFE.model_copy(update={'keep_days': 1e-9})
    journal = start(path, settings).journal
    for number in range(5):
        put_all(journal, ended(f'g{number}'))
    put_all(journal, a_goal('open'))
    wait_until(lambda: goals_in(records_of(path)) == {'open'}, 'the ended ones are forgotten')
    assert journal.fault() is None
    end(journal)
