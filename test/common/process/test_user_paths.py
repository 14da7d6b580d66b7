"""Where things are kept without a home folder, or with one that cannot be written."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
import pwd
import sys

import pytest

from rover_common.errors import UsageError
from rover_common.process.user_paths import (
    given_path,
    path_argument,
    state_folder,
    temporary_folder,
    user_cache,
)


@pytest.mark.parametrize(
    ('environment', 'folder'),
    [
        ({'XDG_STATE_HOME': '/s', 'HOME': '/h'}, '/s/bt_executive'),
        ({'XDG_STATE_HOME': 's', 'HOME': '/h'}, '/h/.local/state/bt_executive'),
        ({'HOME': '/h'}, '/h/.local/state/bt_executive'),
        ({'HOME': ''}, '/listed/.local/state/bt_executive'),
        ({}, '/listed/.local/state/bt_executive'),
    ],
)
def test_the_home_folder_is_found(
    environment: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = pwd.struct_passwd(('x', 'x', 1, 1, '', '/listed', '/bin/sh'))
    monkeypatch.setattr(pwd, 'getpwuid', lambda _uid: listed)
    assert state_folder(environment) == Path(folder)
    cache = {name.replace('STATE', 'CACHE'): value for name, value in environment.items()}
    assert user_cache(cache) == Path(folder.replace('.local/state', '.cache'))


def test_a_user_without_any_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_uid: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.setattr(pwd, 'getpwuid', nobody)
    with pytest.raises(UsageError, match='set HOME'):
        state_folder({})
    assert state_folder({'XDG_STATE_HOME': '/s'}) == Path('/s/bt_executive')
    assert user_cache({}) == Path(sys.prefix) / 'cache' / 'bt_executive'


@pytest.mark.parametrize('text', ['', '  ', 'a\0b'])
def test_an_empty_path_is_not_the_working_folder(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match='names no file or folder'):
        given_path(text)


def test_a_path_may_begin_with_the_users_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('HOME', '/home/somebody')
    assert given_path('~/run') == Path('/home/somebody/run')
    assert given_path('run~') == Path('run~')
    with pytest.raises(argparse.ArgumentTypeError, match='nobody_of_that_name'):
        given_path('~nobody_of_that_name/run')


@pytest.mark.parametrize('text', ['-dash', 'runs/-7', '/data/run 1', '-'])
def test_a_path_is_given_on_as_it_is(text: str) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('--run-dir', type=given_path)
    given = parser.parse_args(['--run-dir', path_argument(Path(text))])
    assert given.run_dir == Path(text)


def test_temporary_files_are_where_they_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = f'bt_executive-{os.getuid()}'
    assert temporary_folder({'TMPDIR': str(tmp_path)}) == tmp_path / own
    assert temporary_folder({'TMPDIR': '/none', 'TMP': str(tmp_path)}) == tmp_path / own
    assert temporary_folder({'TMPDIR': 'relative'}) == Path('/tmp', own)
    monkeypatch.setattr('os.access', lambda *_: False)
    with pytest.raises(UsageError, match='set TMPDIR to one'):
        temporary_folder({'TMPDIR': str(tmp_path)})
