"""Wheels of interfaces, in a repository of the test's own."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
import shutil

import pytest

from rover_common.wheels.interface_wheels import TAG, InterfaceWheels, cache, missing_build_tools
from rover_common.wheels.pip_and_uv import Installer
from rover_common.wheels.running_commands import CommandError, Progress


def interface_files(folder: Path, name: str = 'msgs') -> Path:
    package = folder / 'interfaces' / name
    package.mkdir(parents=True)
    (package / 'package.xml').write_text('<package/>')
    (package / 'Heat.msg').write_text('float64 heat\n')
    return package


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InterfaceWheels:
    """Those of a repository with one package, with a cache of its own."""
    interface_files(tmp_path)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return InterfaceWheels(tmp_path, [])


def keep_wheel(wheels: InterfaceWheels, package: Path) -> Path:
    """Puts a wheel of a package, as it is now, into the cache."""
    folder = wheels.kept(package)
    folder.mkdir(parents=True)
    wheel = folder / f'{package.name}-0.1.0+bt-{TAG.split("-")[0]}-cp3-linux.whl'
    wheel.touch()
    return wheel


@pytest.fixture
def package(wheels: InterfaceWheels) -> Path:
    (found,) = wheels.packages()
    return found


def test_a_wheel_is_ready_once_it_is_in_the_cache(wheels: InterfaceWheels, package: Path) -> None:
    assert wheels.ready(package) is None
    wheel = keep_wheel(wheels, package)
    assert wheels.ready(package) == wheel


def test_another_message_needs_another_wheel(wheels: InterfaceWheels, package: Path) -> None:
    keep_wheel(wheels, package)
    (package / 'Heat.msg').write_text('float32 heat\n')
    assert wheels.to_compile([package]) == [package]


def test_another_package_changes_nothing_for_this_one(
    wheels: InterfaceWheels, package: Path, tmp_path: Path
) -> None:
    wheel = keep_wheel(wheels, package)
    interface_files(tmp_path, 'others')
    assert wheels.ready(package) == wheel
    assert [each.name for each in wheels.to_compile(wheels.packages())] == ['others']
    assert wheels.packages(['others']) == [tmp_path / 'interfaces' / 'others']


def test_wheels_in_dist_are_taken_if_they_are_of_this_content(
    wheels: InterfaceWheels, package: Path, tmp_path: Path
) -> None:
    (tmp_path / 'dist').mkdir()
    wheel = tmp_path / 'dist' / keep_wheel(wheels, package).name
    wheel.touch()
    shutil.rmtree(wheels.kept(package))
    mark = tmp_path / 'dist' / f'{package.name}-{TAG}.content'
    mark.write_text('of other files')
    assert wheels.ready(package) is None
    mark.write_text(wheels.content(package) + '\n')
    assert wheels.ready(package) == wheel


def test_what_another_set_up_compiles_is_waited_for_and_taken(
    wheels: InterfaceWheels, package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = cache(os.environ)
    folder.mkdir(parents=True)
    progress = Progress()
    with (folder / f'{TAG}.lock').open('w') as other:
        fcntl.flock(other, fcntl.LOCK_EX)

        def print_line(text: str) -> None:
            assert text.startswith('Waiting for another set-up')
            keep_wheel(wheels, package)  # it has compiled it
            fcntl.flock(other, fcntl.LOCK_UN)

        monkeypatch.setattr(progress, 'print_line', print_line)
        monkeypatch.setattr(InterfaceWheels, '_compile', lambda *_: pytest.fail('compiled twice'))
        found = wheels.wheels(Installer(progress), tmp_path, [package])
        assert found == [wheels.ready(package)]


def test_a_package_of_which_no_wheel_has_come_ends_the_set_up(
    wheels: InterfaceWheels, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InterfaceWheels, '_compile_into_cache', lambda *_: None)
    with pytest.raises(CommandError):
        wheels.wheels(Installer(Progress()), Path('logs'), [package])


def test_without_a_compiler_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.delenv('CXX', raising=False)
    assert 'no C++ compiler found' in missing_build_tools('')
    assert missing_build_tools(', or run').endswith("'apt-get install g++', or run.")


@pytest.mark.process
def test_a_wheel_that_cannot_be_kept_ends_the_set_up(
    wheels: InterfaceWheels, package: Path, tmp_path: Path
) -> None:
    (wheels.kept(package) / 'not a wheel').mkdir(parents=True)  # it is in the way
    python = tmp_path / 'venv' / 'bin' / 'python'
    python.parent.mkdir(parents=True)
    python.symlink_to('/bin/true')
    with pytest.raises(OSError, match='not empty'):
        wheels._compile([package], tmp_path / 'venv', Progress(), tmp_path, os.environ)
    assert len([*cache(os.environ).iterdir()]) == 1  # what was compiled into is gone
