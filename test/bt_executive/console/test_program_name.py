"""A printed command works in the shell that it is printed in."""

from __future__ import annotations

from pathlib import Path
import shlex
import sys

import pytest

from bt_executive.console.program_name import own_command


@pytest.fixture
def program(tmp_path: Path) -> Path:
    made = tmp_path / 'a folder' / 'bt-executive'
    made.parent.mkdir()
    made.touch(mode=0o755)
    return made


def called(monkeypatch: pytest.MonkeyPatch, argv0: Path | str, path: Path | str) -> str:
    monkeypatch.setattr(sys, 'argv', [str(argv0)])
    monkeypatch.setenv('PATH', str(path))
    return own_command()


def test_on_the_path_it_is_its_name(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    assert called(monkeypatch, program, program.parent) == 'bt-executive'


def test_else_it_is_called_again_as_it_was_called(
    monkeypatch: pytest.MonkeyPatch, program: Path
) -> None:
    assert called(monkeypatch, '.venv/bin/bt-executive', '/bin') == '.venv/bin/bt-executive'
    assert shlex.split(called(monkeypatch, program, '/bin')) == [str(program)]


def test_another_program_of_its_name_is_not_meant(
    monkeypatch: pytest.MonkeyPatch, program: Path, tmp_path: Path
) -> None:
    other = tmp_path / 'bt-executive'
    other.touch(mode=0o755)
    assert shlex.split(called(monkeypatch, program, tmp_path)) == [str(program)]


def test_as_a_module_it_is_that_of_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(called(monkeypatch, '/repository/bt_executive/__main__.py', '/bin'))
    assert words == [sys.executable, '-m', 'bt_executive']
