"""Where things are kept without a home folder, or with one that cannot be written."""

from __future__ import annotations

from pathlib import Path
import pwd
import sys

import pytest

from rover_common.errors import UsageError
from rover_common.process.user_folders import state_folder, user_cache
from rover_common.ros.run_log import choose_log_folder


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


@pytest.mark.parametrize('variable', ['ROS_LOG_DIR', 'ROS_HOME'])
def test_a_log_folder_that_was_chosen_stays(variable: str) -> None:
    environment = {variable: '/mine'}
    choose_log_folder(environment)
    assert environment == {variable: '/mine'}


@pytest.mark.parametrize('home', [None, '', '/proc/none', 'file'])
def test_without_a_home_to_write_to_logs_go_to_a_temporary_folder(
    home: str | None, tmp_path: Path
) -> None:
    (tmp_path / 'file').touch()
    environment = {} if home is None else {'HOME': str(tmp_path / home) if home else ''}
    choose_log_folder(environment)
    assert 'bt_executive-' in environment['ROS_LOG_DIR']


def test_a_home_that_can_be_written_is_left_to_ros(tmp_path: Path) -> None:
    environment = {'HOME': str(tmp_path)}
    choose_log_folder(environment)
    assert environment == {'HOME': str(tmp_path)}
