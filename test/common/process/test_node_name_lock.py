"""One node of a name in a ROS domain of this machine."""

from __future__ import annotations

import errno
import os
from pathlib import Path
import resource
import signal
import subprocess
import sys
import tempfile
from typing import Any

from known import known
import pytest

from rover_common.errors import UsageError
from rover_common.process.node_name_lock import check_names_are_free, lock_name
from rover_common.ros.ros_arguments import domain_of, namespace_of

DOMAIN = 7


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('TMPDIR', str(tmp_path))


def test_a_name_is_claimed_once() -> None:
    with lock_name('/executive', DOMAIN), pytest.raises(UsageError) as refusal:
        lock_name('/executive', DOMAIN)
    assert f'/executive runs already in ROS domain {DOMAIN}' in str(refusal.value)
    assert f'(process {os.getpid()})' in str(refusal.value)
    lock_name('/executive', DOMAIN).close()


def test_a_name_is_claimed_on_a_full_disk_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, 'No space left on device')

    monkeypatch.setattr(os, 'pwrite', full)
    with (
        lock_name('/executive', DOMAIN),
        pytest.raises(UsageError, match=f'runs already in ROS domain {DOMAIN}'),
    ):
        lock_name('/executive', DOMAIN)


def test_a_name_stays_claimed_when_the_temporary_folder_gets_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There tempfile would choose another folder, in which no lock is."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with lock_name('/executive', DOMAIN):
        monkeypatch.setattr(tempfile, 'tempdir', None)  # as in another process
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        try:
            with pytest.raises(UsageError, match=f'runs already in ROS domain {DOMAIN}'):
                lock_name('/executive', DOMAIN)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [each.name for each in tmp_path.glob('*/*')] == [f'{DOMAIN}.executive']


def test_other_namespaces_and_domains_are_free() -> None:
    with lock_name('/executive', DOMAIN):
        lock_name('/rover_2/executive', DOMAIN).close()
        lock_name('/executive', DOMAIN + 1).close()


@pytest.mark.process
def test_a_process_that_was_killed_holds_nothing() -> None:
    script = (
        'import time; from rover_common.process.node_name_lock import lock_name;'
        f'held = lock_name("/executive", {DOMAIN}); print("held", flush=True); time.sleep(60)'
    )
    holder = subprocess.Popen([sys.executable, '-c', script], stdout=subprocess.PIPE, text=True)
    assert known(holder.stdout).readline() == 'held\n'
    with pytest.raises(UsageError, match=f'process {holder.pid}'):
        lock_name('/executive', DOMAIN)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    lock_name('/executive', DOMAIN).close()


def test_the_names_of_a_stack_are_looked_at_where_they_would_be_started() -> None:
    names, environment = ('rover', 'executive'), {'ROS_DOMAIN_ID': str(DOMAIN)}
    with lock_name('/rover_1/executive', DOMAIN):
        check_names_are_free(names, [], environment)
        check_names_are_free(names, ['--ros-args', '-r', '__ns:=/rover_2'], environment)
        with pytest.raises(
            UsageError, match=r'another ROS_DOMAIN_ID, or choose a namespace .*launch namespace:='
        ):
            check_names_are_free(names, ['--ros-args', '-r', '__ns:=/rover_1'], environment)


def test_no_link_is_followed_and_its_target_stays_as_it_is(tmp_path: Path) -> None:
    lock_name('/executive', DOMAIN).close()
    (lock,) = tmp_path.glob('*/*')
    lock.unlink()
    precious = tmp_path / 'precious'
    precious.write_text('precious')
    lock.symlink_to(precious)
    with pytest.raises(UsageError, match=r'cannot be used for the locks of the nodes \(Too many'):
        lock_name('/executive', DOMAIN)
    lock.unlink()
    lock.hardlink_to(precious)
    with pytest.raises(UsageError, match='not a file of this user alone'):
        lock_name('/executive', DOMAIN)
    assert precious.read_text() == 'precious'


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / 'elsewhere'
    elsewhere.mkdir()
    (tmp_path / f'bt_executive-{os.getuid()}').symlink_to(elsewhere)
    with pytest.raises(UsageError, match=f'bt_executive-{os.getuid()}.*Not a directory'):
        lock_name('/executive', DOMAIN)
    assert not list(elsewhere.iterdir())


def test_a_folder_of_another_user_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / f'bt_executive-{os.getuid() + 1}').mkdir()
    owner = os.getuid()
    monkeypatch.setattr(os, 'getuid', lambda: owner + 1)
    with pytest.raises(UsageError, match=f'it belongs to user {owner}'):
        lock_name('/executive', DOMAIN)


def test_the_folder_is_for_this_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / f'bt_executive-{os.getuid()}'
    folder.mkdir(mode=0o777)
    lock_name('/executive', DOMAIN).close()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_holder_is_told_after_one_with_a_longer_number(tmp_path: Path) -> None:
    lock_name('/executive', DOMAIN).close()
    (lock,) = tmp_path.glob('*/*')
    lock.write_text('9' * 12)
    with lock_name('/executive', DOMAIN), pytest.raises(UsageError) as refusal:
        lock_name('/executive', DOMAIN)
    assert f'(process {os.getpid()})' in str(refusal.value)


@pytest.mark.parametrize(
    ('arguments', 'space'),
    [([], '/'), (['-r', '__ns:=/a/b'], '/a/b'), (['-r', '__ns:=/a', '-r', '__ns:=/b'], '/b')],
)
def test_the_namespace_of_ros_arguments(arguments: Any, space: str) -> None:
    assert namespace_of(arguments) == space


@pytest.mark.parametrize('given', ['x', '-1', '233', '²'])
def test_an_unusable_domain_is_said(given: str) -> None:
    assert domain_of({}) == 0
    assert domain_of({'ROS_DOMAIN_ID': '232'}) == 232
    with pytest.raises(UsageError, match=f"ROS_DOMAIN_ID is '{given}'"):
        domain_of({'ROS_DOMAIN_ID': given})
