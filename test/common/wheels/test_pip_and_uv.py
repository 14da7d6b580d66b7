"""uv with the settings of pip, or pip."""

from __future__ import annotations

from collections.abc import Sequence
import os
from pathlib import Path
from typing import Any

import pytest

from rover_common.wheels import pip_and_uv
from rover_common.wheels.running_commands import Progress


def test_the_settings_of_pip_hold_for_uv() -> None:
    settings = {
        'index-url': 'https://pypi.example/simple',
        'extra-index-url': 'file:///opt/a\nfile:///opt/b',
        'find-links': '/opt/wheels /opt/more',
        'constraint': '/etc/pip/a.txt /etc/pip/b.txt',
        'cert': '/etc/ssl/ca.crt',
        'cache-dir': '/var/cache/pip',
        'no-cache-dir': 'false',
        'no-index': 'yes',
    }
    options, variables = pip_and_uv.of_uv(settings)
    assert options[2:] == ['--no-index']
    assert variables == {
        'SSL_CERT_FILE': '/etc/ssl/ca.crt',
        'UV_DEFAULT_INDEX': 'https://pypi.example/simple',
        'UV_INDEX': 'file:///opt/a file:///opt/b',
        'UV_FIND_LINKS': '/opt/wheels,/opt/more',
        'UV_CONSTRAINT': '/etc/pip/a.txt /etc/pip/b.txt',
        'UV_NO_CACHE': '1',
    }


def test_uv_caches_beside_what_pip_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('HOME', '/home/rover')
    _, variables = pip_and_uv.of_uv({'cache-dir': '~/pip'})
    assert variables == {'UV_CACHE_DIR': '/home/rover/pip/uv'}


@pytest.mark.process
def test_a_password_of_an_index_is_in_no_command_line_and_in_no_log(tmp_path: Path) -> None:
    program = tmp_path / 'uv'
    program.write_text('#!/bin/sh\necho "called with $*"; echo "from $UV_DEFAULT_INDEX"\n')
    program.chmod(0o755)
    settings = {'index-url': 'https://rover:pass-word@pypi.example/simple'}
    progress = Progress()
    uv = pip_and_uv.Uv(program, *pip_and_uv.of_uv(settings))
    installs = pip_and_uv.Installer(progress, lambda: uv)
    installs.install('extras', ['numpy'], tmp_path / 'log')
    called, got = (tmp_path / 'log').read_text().splitlines()
    assert called.endswith(' numpy')
    assert 'pypi.example' not in called
    assert got == 'from https://****@pypi.example/simple'


@pytest.mark.process
def test_the_settings_are_those_that_pip_heeds_when_it_installs_the_strongest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in os.environ if each.startswith('PIP_')]:
        monkeypatch.delenv(name)
    file = tmp_path / 'pip.conf'
    file.write_text(
        '[wheel]\nwheel-dir = /w\nfind-links = /w\n'
        '[install]\nfind-links = /i\ntimeout = 8\n'
        '[global]\nfind-links = /a\nindex-url = https://a.example\ntimeout = 7\nno-index =\n'
    )
    monkeypatch.setenv('PIP_CONFIG_FILE', str(file))
    monkeypatch.setenv('PIP_INDEX_URL', 'https://b.example')
    monkeypatch.setenv('PIP_DEFAULT_TIMEOUT', '9')  # another name of `timeout`
    found = pip_and_uv.settings_of_pip()
    assert (found['find-links'], found['index-url']) == ('/i', 'https://b.example')
    assert found['timeout'] == '9'
    assert not {'wheel-dir', 'no-index'} & found.keys()


@pytest.mark.parametrize(
    ('value', 'options'), [('y', ['--no-index']), ('T', ['--no-index']), ('no', [])]
)
def test_yes_is_what_pip_takes_for_yes(value: str, options: list[str]) -> None:
    assert pip_and_uv.of_uv({'no-index': value})[0][2:] == options


@pytest.mark.parametrize(
    ('setting', 'value', 'words'),
    [
        ('require-hashes', '1', "pip installs: its setting 'require-hashes'"),
        ('find-links', '/opt/a,b', "pip installs: its setting 'find-links'"),
        pytest.param(
            *('no-index', '1', 'uv cannot be had: pip installs'), marks=pytest.mark.process
        ),
    ],
)
def test_where_uv_cannot_be_had_pip_installs_and_says_why(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    setting: str,
    value: str,
    words: str,
) -> None:
    monkeypatch.setenv('PIP_CONFIG_FILE', os.devnull)
    monkeypatch.setenv('PIP_NO_INDEX', '1')  # no uv is found
    monkeypatch.delenv('PIP_FIND_LINKS', raising=False)
    monkeypatch.setattr(pip_and_uv, 'settings_of_pip', lambda: {setting: value})
    with pip_and_uv.installer(Progress(), tmp_path) as installs:
        assert installs.uv() is None
    assert words in capsys.readouterr().out


@pytest.mark.process
def test_where_uv_cannot_be_run_pip_installs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress()
    run = progress.run

    def get(title: str, command: Sequence[Any], log: Path, environment: Any) -> None:
        if command[1:] == ['--version']:
            run(title, command, log, environment)
        else:  # pip, which installs uv where nothing can be run
            program = command[command.index('--target') + 1] / 'bin' / 'uv'
            program.parent.mkdir()
            program.touch(0o644)

    monkeypatch.setattr(progress, 'run', get)
    monkeypatch.setattr(pip_and_uv, 'settings_of_pip', dict)
    with pip_and_uv.installer(progress, tmp_path) as installs:
        assert installs.uv() is None


@pytest.mark.process
def test_what_uv_cannot_install_pip_installs(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    python = tmp_path / 'python'  # tells with what it was called
    python.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/called\n')
    python.chmod(0o755)
    progress = Progress()
    program = tmp_path / 'uv'
    program.write_text('#!/bin/sh\necho no such index; exit 1\n')
    program.chmod(0o755)
    uv = pip_and_uv.Uv(program)
    installs = pip_and_uv.Installer(progress, lambda: uv)
    installs.install('extras', ['numpy'], tmp_path / 'x.log', python)
    assert (tmp_path / 'called').read_text() == '-m pip install --no-compile numpy\n'
    assert 'uv could not do it: pip tries' in capfd.readouterr().out
    assert (tmp_path / 'x.log').read_text() == 'no such index\n'  # the one that the message names
    assert (tmp_path / 'x_by_pip.log').exists()


def test_uv_is_got_once_and_only_if_something_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress()
    ran: list[str] = []
    monkeypatch.setattr(progress, 'run', lambda title, *_: ran.append(title))
    monkeypatch.setattr(pip_and_uv, 'settings_of_pip', dict)
    with pip_and_uv.installer(progress, tmp_path) as installs:
        assert ran == []
        installs.install('dependencies', ['numpy'], tmp_path / 'log')
        installs.install('extras', ['mcp'], tmp_path / 'log')
    assert ran == [*['uv, which installs'] * 2, 'dependencies', 'extras']  # got, and tried
