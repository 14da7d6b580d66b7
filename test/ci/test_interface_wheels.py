"""Wheels of the interfaces: .ci/interface_wheels.py in a repository of the test's own."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
import shutil
from typing import Any

import pytest


def interface_files(folder: Path, name: str = 'msgs') -> Path:
    package = folder / 'interfaces' / name
    package.mkdir(parents=True)
    (package / 'package.xml').write_text('<package/>')
    (package / 'Heat.msg').write_text('float64 heat\n')
    return package


@pytest.fixture
def wheels(scripts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """interface_wheels in a repository with one package, with a cache of its own."""
    interface_files(tmp_path)
    monkeypatch.setattr(scripts['interface_wheels'], 'ROOT', tmp_path)
    monkeypatch.setattr(scripts['interface_wheels'], 'DIST', tmp_path / 'dist')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return scripts['interface_wheels']


def keep_wheel(wheels: Any, package: Path) -> Path:
    """Puts a wheel of a package, as it is now, into the cache."""
    folder = wheels.kept(package, os.environ)
    folder.mkdir(parents=True)
    wheel = folder / f'{package.name}-0.1.0+bt-{wheels.TAG.split("-")[0]}-cp3-linux.whl'
    wheel.touch()
    return Path(wheel)


@pytest.fixture
def package(wheels: Any) -> Path:
    (found,) = wheels.packages()
    return Path(found)


def test_a_wheel_is_ready_once_it_is_in_the_cache(wheels: Any, package: Path) -> None:
    assert wheels.ready(package, os.environ) is None
    wheel = keep_wheel(wheels, package)
    assert wheels.ready(package, os.environ) == wheel


def test_another_message_needs_another_wheel(wheels: Any, package: Path) -> None:
    keep_wheel(wheels, package)
    (package / 'Heat.msg').write_text('float32 heat\n')
    assert wheels.to_compile([package], os.environ) == [package]


def test_another_package_changes_nothing_for_this_one(
    wheels: Any, package: Path, tmp_path: Path
) -> None:
    wheel = keep_wheel(wheels, package)
    interface_files(tmp_path, 'others')
    assert wheels.ready(package, os.environ) == wheel
    assert [each.name for each in wheels.to_compile(wheels.packages(), os.environ)] == ['others']
    assert wheels.packages(['others']) == [tmp_path / 'interfaces' / 'others']


def test_wheels_in_dist_are_taken_if_they_are_of_this_content(
    wheels: Any, package: Path, tmp_path: Path
) -> None:
    (tmp_path / 'dist').mkdir()
    wheel = tmp_path / 'dist' / keep_wheel(wheels, package).name
    wheel.touch()
    shutil.rmtree(wheels.kept(package, os.environ))
    mark = tmp_path / 'dist' / f'{package.name}-{wheels.TAG}.content'
    mark.write_text('of other files')
    assert wheels.ready(package, os.environ) is None
    mark.write_text(wheels.content(package) + '\n')
    assert wheels.ready(package, os.environ) == wheel


def test_what_another_set_up_compiles_is_waited_for_and_taken(
    wheels: Any,
    package: Path,
    scripts: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    cache = wheels.cache(os.environ)
    cache.mkdir(parents=True)
    progress = scripts['progress'].Progress()
    with (cache / f'{wheels.TAG}.lock').open('w') as other:
        fcntl.flock(other, fcntl.LOCK_EX)

        def say(text: str) -> None:
            assert text.startswith('Waiting for another set-up')
            keep_wheel(wheels, package)  # it has compiled it
            fcntl.flock(other, fcntl.LOCK_UN)

        monkeypatch.setattr(progress, 'say', say)
        monkeypatch.setattr(wheels, '_compile', lambda *_: pytest.fail('compiled twice'))
        installs = scripts['installer'].Installer(progress)
        found = wheels.wheels(installs, tmp_path, [package])
        assert found == [wheels.ready(package, os.environ)]


def test_a_package_of_which_no_wheel_has_come_ends_the_set_up(
    wheels: Any, package: Path, scripts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, '_compile_into_cache', lambda *_: None)
    installs = scripts['installer'].Installer(scripts['progress'].Progress())
    with pytest.raises(scripts['progress'].CommandError):
        wheels.wheels(installs, Path('logs'), [package])


def test_without_a_compiler_and_wheels_one_sentence_says_what_to_do(
    wheels: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.delenv('CXX', raising=False)
    assert 'no C++ compiler found' in wheels.lacking()
    assert '`make wheels`' in wheels.lacking()


@pytest.mark.process
def test_a_wheel_that_cannot_be_kept_ends_the_set_up(
    wheels: Any, package: Path, scripts: dict[str, Any], tmp_path: Path
) -> None:
    (wheels.kept(package, os.environ) / 'not a wheel').mkdir(parents=True)  # it is in the way
    python = tmp_path / 'venv' / 'bin' / 'python'
    python.parent.mkdir(parents=True)
    python.symlink_to('/bin/true')
    progress = scripts['progress'].Progress()
    with pytest.raises(OSError, match='not empty'):
        wheels._compile([package], tmp_path / 'venv', progress, tmp_path, os.environ)
    assert len([*wheels.cache(os.environ).iterdir()]) == 1  # what was compiled into is gone
