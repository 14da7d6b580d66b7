"""The store stays within its bounds, and keeps what is open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
import json
from pathlib import Path
import sqlite3
import time

import pytest
from stores import (
    NOW,
    SAFE,
    Change,
    a_goal,
    end,
    entries_of,
    event,
    goal_ended,
    one_run,
    parts_of,
    put_all,
    said,
    saved_in,
    start,
    trace_of,
)
from waiting import wait_until

from bt_executive.core.store_port import InputLine
from bt_executive.store.sqlite_opening_and_faults import find_damage
from bt_executive.store.store_retention import DAY_S, Retention, size_bytes

NOW_S = time.time()


def ended(goal_id: str, *more: Change) -> list[Change]:
    return [*a_goal(goal_id), *more, goal_ended(goal_id)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / 'j.sqlite'


def pruned(path: Path, retention: Retention, system_s: float = NOW_S) -> list[str]:
    """The goals that were deleted."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        found = [goal for goal in _all(connection, retention, system_s) if goal]
        assert find_damage(connection) == []
        return found


def _all(connection: sqlite3.Connection, retention: Retention, system_s: float) -> Iterator[str]:
    while (goal_id := retention.delete_oldest(connection, system_s)) is not None:
        yield goal_id


def goals_in(path: Path) -> set[str]:
    return {goal_id for _, goal_id, _ in trace_of(path)} - {''}


def test_old_goals_that_have_ended_are_deleted(path: Path) -> None:
    one_run(path, [*ended('a'), *a_goal('open'), *ended('b')])
    retention = Retention(keep_days=2.0, max_mb=100.0)
    assert pruned(path, retention, NOW_S + DAY_S) == []
    assert not retention.due
    assert pruned(path, retention, NOW_S + 3 * DAY_S) == ['a', 'b']
    assert goals_in(path) == {'open'}


def stamp(path: Path, stamp_s: float | None, where: str = 'TRUE') -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f'UPDATE trace SET system_s = ? WHERE {where}', (stamp_s,))
        connection.execute(f'UPDATE runs SET system_s = ? WHERE {where}', (stamp_s,))


@pytest.mark.parametrize('odd', [60.0, NOW_S + 99 * DAY_S, None])
def test_what_was_stamped_by_a_clock_that_was_not_set_is_as_old_as_what_follows(
    path: Path, odd: float | None
) -> None:
    for goal in 'ab':
        store = start(path).store
        store.record([InputLine(NOW, 'tick', {})])
        put_all(store, ended(goal))
        end(store)
    stamp(path, odd, 'run = 1')
    assert pruned(path, Retention(2.0, 100.0), NOW_S + DAY_S) == []
    assert runs_in(path) == [1, 2]
    assert pruned(path, Retention(2.0, 100.0), NOW_S + 3 * DAY_S) == ['a', 'b']
    assert runs_in(path) == [2]


@pytest.mark.parametrize('now_s', [NOW_S + 9 * DAY_S, 60.0])
def test_without_a_true_stamp_the_size_alone_counts(path: Path, now_s: float) -> None:
    one_run(path, [*ended('a'), *ended('b')])
    stamp(path, 30.0)
    assert pruned(path, Retention(1.0, 100.0), now_s) == []
    assert pruned(path, Retention(1.0, 1e-6), now_s) == ['a', 'b']


def runs_in(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        return [run for (run,) in connection.execute('SELECT run FROM runs ORDER BY run')]


@pytest.mark.slow
def test_a_large_store_deletes_the_oldest_goals_and_shrinks(path: Path) -> None:
    goals = [f'g{number}' for number in range(30)]
    one_run(path, [each for goal in goals for each in ended(goal, said('x' * 100_000, goal))])
    before = path.stat().st_size
    gone = pruned(path, Retention(keep_days=30.0, max_mb=1.0))
    assert gone == goals[: len(gone)]
    assert 15 < len(gone) < 30
    assert path.stat().st_size < before / 2
    with closing(sqlite3.connect(path)) as connection:
        assert size_bytes(connection) <= 1_000_000


def test_what_is_open_stays(path: Path) -> None:
    call = Change({'calls': [{'session_id': 'c.1'}], 'mode': {'safety_reason': 'tilt'}})
    one_run(path, [call, *a_goal('open'), *ended('b')])
    assert pruned(path, Retention(1.0, 100.0), NOW_S + 9 * DAY_S) == ['b']
    assert goals_in(path) == {'open'}
    saved = saved_in(path)
    assert saved is not None
    assert saved.parts['calls'] == [{'session_id': 'c.1'}]
    assert saved.parts['mode'] == {'safety_reason': 'tilt'}
    assert len(saved.steps['open']) == 1


def test_what_has_no_goal_is_deleted_with_the_goals_of_its_time(path: Path) -> None:
    one_run(path, [event('1'), *ended('a'), event('2'), *ended('b'), event('3')])
    pruned(path, Retention(1.0, 100.0), NOW_S + 9 * DAY_S)
    assert [value['message'] for _, _, value in trace_of(path)] == ['3']


def test_an_open_goal_keeps_nothing_but_its_own(path: Path) -> None:
    one_run(path, [*a_goal('open'), event('1'), *ended('a'), event('2'), *ended('b'), event('3')])
    stamp(path, NOW_S - 9 * DAY_S, "entry <= (SELECT max(entry) FROM trace WHERE goal_id = 'a')")
    assert pruned(path, Retention(1.0, 100.0)) == ['a']
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute('SELECT goal_id, value FROM trace').fetchall()
    assert {goal_id for goal_id, _ in rows} == {'open', 'b', ''}
    left = [json.loads(value).get('message') for goal_id, value in rows if not goal_id]
    assert left == ['3', None], 'what came since b began, the end of the run, too'


@pytest.mark.slow
def test_an_idle_executive_with_an_open_goal_stays_within_its_bounds(path: Path) -> None:
    one_run(path, [*a_goal('open'), *(event('x' * 10_000) for _ in range(300))])
    pruned(path, Retention(30.0, 1.0))
    with closing(sqlite3.connect(path)) as connection:
        assert size_bytes(connection) <= 1_000_000
    assert goals_in(path) == {'open'}
    assert len(trace_of(path)) > 10


def test_runs_are_counted_on_when_their_goals_are_gone(path: Path) -> None:
    one_run(path, ended('a'))
    one_run(path, [*ended('b'), *a_goal('open')])
    one_run(path)
    assert pruned(path, Retention(1.0, 100.0), NOW_S + 9 * DAY_S) == ['a', 'b']
    assert [each.at.run for each in entries_of(path) if each.kind == 'RUN'] == [3]
    started = start(path)
    end(started.store)
    assert started.run == 4


@pytest.mark.slow
def test_a_store_without_goals_stays_within_its_bounds(path: Path) -> None:
    one_run(path, [event('x' * 10_000) for _ in range(300)])
    pruned(path, Retention(30.0, 1.0))
    with closing(sqlite3.connect(path)) as connection:
        assert size_bytes(connection) <= 1_000_000
    assert len(trace_of(path)) > 10
    assert 'run' in parts_of(path)


def test_the_writer_deletes_while_nothing_waits(path: Path) -> None:
    settings = SAFE.model_copy(update={'keep_days': 1e-9})
    store = start(path, settings).store
    for number in range(5):
        put_all(store, ended(f'g{number}'))
    put_all(store, a_goal('open'))
    wait_until(lambda: goals_in(path) == {'open'}, 'the ended ones are deleted')
    assert store.fault() is None
    end(store)


def test_the_writer_of_an_executive_without_goals_deletes_too(path: Path) -> None:
    """A goal that ends is not the only thing by which a store grows."""
    store = start(path, SAFE.model_copy(update={'max_mb': 0.5})).store
    for _ in range(10):
        put_all(store, [event('x' * 10_000) for _ in range(30)])
    with closing(sqlite3.connect(f'file:{path}?mode=ro', uri=True)) as connection:
        wait_until(lambda: size_bytes(connection) <= 500_000, 'the store is within its bounds')
    end(store)
