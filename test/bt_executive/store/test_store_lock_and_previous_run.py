"""One executive per store, and what the next one finds in it: everything that was open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import errno
from multiprocessing import get_context
from multiprocessing.connection import Connection
import os
from pathlib import Path
import resource
import signal
import stat
import sys
import tempfile
from typing import Any

import pytest
from stores import (
    NOW,
    Change,
    a_goal,
    a_step,
    end,
    entries_of,
    event,
    goal_ended,
    one_run,
    put_all,
    said,
    saved_in,
    start,
    trace_of,
    trace_values,
)
from waiting import wait_until

from bt_executive.core.store_port import ENDS_KEPT, MESSAGES_KEPT, Durability, Saved, StoreCode
from bt_executive.store.journal_location import journal_file
from bt_executive.store.sqlite_opening_and_faults import fault_of
from bt_executive.store.store_lock_and_previous_run import boot_id
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.errors import UsageError

NOBODY = 65534
FORK = get_context('fork')


def in_a_child(do: Callable[[Connection], None]) -> Any:
    """What `do` sends from a forked process, after which that ends at once.

    No journal may be open here: its thread may hold a lock of SQLite at the fork.
    """
    ours, theirs = FORK.Pipe()
    child = FORK.Process(target=_run, args=(do, theirs), daemon=True)
    child.start()
    theirs.close()
    assert ours.poll(120.0), 'the child says something'
    said = ours.recv()
    child.join(120.0)
    return said


def _run(do: Callable[[Connection], None], out: Connection) -> None:
    try:
        do(out)
    except BaseException as error:
        out.send(repr(error))
    sys.stdout.flush()
    os._exit(0)


def test_a_second_executive_is_refused_with_the_owner(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    journal = start(path).store
    with pytest.raises(UsageError) as refused:
        start(path)
    assert f'process {os.getpid()}' in str(refused.value)
    assert '--journal FILE' in str(refused.value)
    end(journal)
    end(start(path).store)


def test_a_link_to_a_journal_is_that_journal(tmp_path: Path) -> None:
    path, link = tmp_path / 'j.sqlite', tmp_path / 'elsewhere' / 'link.sqlite'
    link.parent.mkdir()
    link.symlink_to(path)
    journal = start(link).store
    put_all(journal, a_goal('g'))
    assert trace_of(link) == trace_values(a_goal('g'))  # which is in the log of changes still
    with pytest.raises(UsageError, match=f'process {os.getpid()}'):
        start(path)
    end(journal)
    assert link.is_symlink()
    assert [each.name for each in link.parent.iterdir()] == ['link.sqlite']


@pytest.mark.process
def test_a_killed_executive_lets_go_and_leaves_what_was_durable(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'

    def first(out: Connection) -> None:
        put_all(start(path).store, a_goal('g'))
        out.send('durable')
        os.kill(os.getpid(), signal.SIGKILL)

    assert in_a_child(first) == 'durable'
    assert trace_of(path) == trace_values(a_goal('g'))
    started = start(path)
    end(started.store)
    assert started.run == 2
    assert started.saved is not None
    assert started.saved.ended == ''
    assert started.saved.parts['goals']['active'] == 'g'


@pytest.mark.process
def test_a_file_that_may_not_grow_is_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    end(start(path).store)

    def limited(out: Connection) -> None:
        journal = start(path).store
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
        ticket = journal.put(NOW, *said('x' * 400_000))
        wait_until(lambda: journal.fault() is not None)
        fault = journal.fault()
        assert fault is not None
        out.send((fault.code, fault.sentence, journal.durable(ticket)))

    code, sentence, durability = in_a_child(limited)
    assert code in (StoreCode.DISK_FULL, StoreCode.IO_ERROR)
    assert sentence.endswith((': make room on the disk.', ': look at the disk.'))
    assert durability is Durability.WAITING  # it is tried again: room may be made
    assert trace_of(path) == []


@pytest.mark.process
@pytest.mark.parametrize('room', [10_000, 0])  # bytes; without any not even the lock is signed
def test_a_disk_that_is_full_at_the_start_is_a_reason_and_leaves_no_half_file(
    tmp_path: Path, room: int
) -> None:
    path = tmp_path / 'j.sqlite'

    def limited(out: Connection) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        fault = start(path).store.fault()
        assert fault is not None
        out.send((fault.code, fault.sentence))

    code, sentence = in_a_child(limited)
    assert code in (StoreCode.DISK_FULL, StoreCode.IO_ERROR)
    assert sentence.endswith(' the disk, and start the executive again.')
    assert not path.exists()
    one_run(path, a_goal('g'))
    assert trace_of(path) == trace_values(a_goal('g'))


@pytest.mark.parametrize(
    ('number', 'code'),
    [
        (errno.ENOSPC, StoreCode.DISK_FULL),
        (errno.EDQUOT, StoreCode.DISK_FULL),
        (errno.EIO, StoreCode.IO_ERROR),
        (errno.EROFS, StoreCode.NOT_WRITABLE),
    ],
)
def test_system_errors_have_their_code(number: int, code: StoreCode) -> None:
    found = fault_of(Path('/state/j.sqlite'), OSError(number, os.strerror(number)))
    assert found.code is code
    assert os.strerror(number) in found.sentence


@pytest.fixture
def open_folder() -> Any:
    """A folder that every user can look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def _as_nobody(path: Path, out: Connection) -> None:
    if os.getuid() == 0:  # to whom nothing is read-only
        os.setuid(NOBODY)
    journal = start(path).store
    fault = journal.fault()
    assert fault is not None
    out.send((fault.code, fault.sentence))


def test_another_name_of_a_file_is_no_lock(tmp_path: Path) -> None:
    """What stands in the lock would be written into somebody's file."""
    path, theirs = tmp_path / 'j.sqlite', tmp_path / 'theirs'
    theirs.write_text('theirs', encoding='utf-8')
    os.link(theirs, tmp_path / 'j.sqlite.lock')
    fault = start(path).store.fault()
    assert fault is not None
    assert 'j.sqlite.lock' in fault.sentence
    assert 'hard link' in fault.sentence
    assert theirs.read_text(encoding='utf-8') == 'theirs'


@pytest.mark.process
@pytest.mark.parametrize('what', ['file', 'folder', 'empty folder'])
def test_a_read_only_place_is_a_reason(open_folder: Path, what: str) -> None:
    path = open_folder / 'j.sqlite'
    if what != 'empty folder':
        end(start(path).store)
        path.chmod(0o444)
        path.with_name('j.sqlite.lock').chmod(0o666)
    if what != 'file':
        open_folder.chmod(0o555)
    else:
        open_folder.chmod(0o777)
    code, sentence = in_a_child(lambda out: _as_nobody(path, out))
    assert code is StoreCode.NOT_WRITABLE
    assert 'make file and folder writable' in sentence
    open_folder.chmod(0o755)


@pytest.mark.parametrize(
    ('named', 'environment', 'executive', 'file'),
    [
        (
            '',
            {'XDG_STATE_HOME': '/state'},
            '/executive',
            '/state/bt_executive/0.executive.curiosity.sqlite',
        ),
        (
            '',
            {'XDG_STATE_HOME': '/state', 'ROS_DOMAIN_ID': '7'},
            '/rover_2/executive',
            '/state/bt_executive/7.rover_2.executive.curiosity.sqlite',
        ),
        ('/data/own.sqlite', {'XDG_STATE_HOME': '/state'}, '/executive', '/data/own.sqlite'),
    ],
)
def test_each_robot_has_a_file_of_its_own(
    named: str, environment: Mapping[str, str], executive: str, file: str
) -> None:
    config = load_config(overrides=[f'journal.file="{named}"'])
    assert journal_file(config, environment, executive) == Path(file)


def test_another_robot_has_another_file() -> None:
    config = load_config(default_folder() / 'robots' / 'turtlebot')
    found = journal_file(config, {'XDG_STATE_HOME': '/state'})
    assert found == Path('/state/bt_executive/0.executive.turtlebot.sqlite')


def test_a_relative_folder_for_state_does_not_count() -> None:
    found = journal_file(load_config(), {'XDG_STATE_HOME': 'state'})
    assert found == Path.home() / '.local/state/bt_executive/0.executive.curiosity.sqlite'


def test_this_boot_has_an_id_that_stays() -> None:
    assert boot_id() == boot_id() != ''


def test_the_lock_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    end(start(tmp_path / 'j.sqlite').store)
    assert stat.S_IMODE((tmp_path / 'j.sqlite.lock').stat().st_mode) == 0o600


def saved_after(path: Path, *runs: list[Change]) -> Saved:
    """What is found after these runs; the last of them was killed."""
    *ended, killed = runs
    for changes in ended:
        one_run(path, changes)
    started = start(path)
    put_all(started.store, killed)
    folder = path.parent / 'killed'
    folder.mkdir()
    for each in path.parent.glob('j.sqlite*'):
        if not each.name.endswith('.lock'):
            (folder / each.name).write_bytes(each.read_bytes())
    end(started.store)
    saved = saved_in(folder / path.name)
    assert saved is not None
    return saved


def test_a_new_store_has_nothing_to_resume(tmp_path: Path) -> None:
    assert saved_in(tmp_path / 'j.sqlite') is None


def test_the_latest_checkpoint_of_each_part_is_found(tmp_path: Path) -> None:
    changes = [Change({'mode': n, 'leases': {'base': f'call-{n}'}}) for n in range(5)]
    saved = saved_after(tmp_path / 'j.sqlite', [*changes, Change({'leases': None})])
    assert saved.parts == {'mode': 4}
    assert (saved.run, saved.run_id, saved.ended) == (1, 'r', '')


def test_goals_are_found_with_what_they_have_come_to(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    saved = saved_after(path, [*a_goal('done'), goal_ended('done'), *a_goal('g'), *a_step('g')])
    assert saved.parts['goals'] == {'order': ['g'], 'active': 'g', 'clock_was': {}}
    assert saved.parts['goal/g']['goal'] == 'the words of g'
    assert saved.parts['progress/g']['distance_m'] == 0.5
    assert [step['proposal']['tool'] for step in saved.steps['g']] == ['look', 'look']
    assert 'goal/done' not in saved.parts


def test_a_later_run_finds_what_an_earlier_one_left(tmp_path: Path) -> None:
    saved = saved_after(tmp_path / 'j.sqlite', a_goal('g'), [], [Change({'mode': 1})])
    assert saved.parts['goals']['order'] == ['g']
    assert saved.run == 3


def test_the_latest_messages_and_ends_are_found(tmp_path: Path) -> None:
    goals = [each for n in range(30) for each in (*a_goal(f'g{n}'), goal_ended(f'g{n}'))]
    saved = saved_after(tmp_path / 'j.sqlite', [*(said(f'{n}') for n in range(30)), *goals])
    assert [each['content'] for each in saved.messages] == [
        f'{n}' for n in range(30 - MESSAGES_KEPT, 30)
    ]
    assert [each['data']['task_id'] for each in saved.ends] == [
        f'g{n}' for n in range(30 - ENDS_KEPT, 30)
    ]


def test_a_fresh_start_resumes_nothing_and_ends_the_goals_that_it_leaves(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    one_run(path, [*a_goal('g'), Change({'calls': [1], 'mode': {'safety_reason': 'tilt'}})])
    assert saved_in(path, fresh=True) is None
    after = saved_in(path)
    assert after is not None
    assert after.parts == {}
    assert after.ended == 'done'
    (ended,) = (each for each in entries_of(path) if each.goal_end is not None)
    assert (ended.goal_id, ended.goal_end) == ('g', 'interrupted')
    assert ended.value['data']['goal_ended'] == {
        'outcome': 'interrupted', 'answer': 'Started fresh', 'goal': 'the words of g',
    }  # fmt: skip
    assert [each['data']['task_id'] for each in after.ends] == ['g']


def test_ros_time_is_that_of_the_latest_checkpoint(tmp_path: Path) -> None:
    saved = saved_after(tmp_path / 'j.sqlite', [Change({'mode': 1}), event('e')])
    assert saved.ros_s == 10.0
