"""The project's own wheel, in a folder without the repository."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys
from typing import Any

from once import made_once
from papers import OF_SPEC_5, ROOT
import pytest

POLICIES = ('config/robots/nav2/sros2', 'config/robots/turtlebot/sros2')


@pytest.fixture(scope='module')
def installed(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> Path:
    """The project's wheel, in a folder of its own; dependencies are those of this Python."""
    return made_once('installed', install_wheel, tmp_path_factory, testrun_uid) / 'site'


def install_wheel(folder: Path) -> None:
    pip: list[Any] = [sys.executable, '-m', 'pip', '--disable-pip-version-check', '--quiet']
    build = [*pip, 'wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', folder, ROOT]
    subprocess.run(build, check=True, timeout=250)
    (wheel,) = folder.glob('bt_executive-*-py3-none-any.whl')
    install = [*pip, 'install', '--no-deps', '--no-compile', '--target', folder / 'site', wheel]
    subprocess.run(install, check=True, timeout=250)


def of_the_wheel(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command line of the wheel, with no compiler and no repository around."""
    return subprocess.run(
        [sys.executable, '-m', 'bt_executive', *arguments],
        cwd=site,
        env={'PATH': '/nonexistent', 'HOME': str(site), 'PYTHONPATH': str(site), 'COLUMNS': '300'},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


@pytest.mark.process
def test_the_wheel_has_all_of_the_project(installed: Path) -> None:
    share = installed / 'share' / 'bt_executive'
    for folder in ('config', 'config/worlds', 'config/sros2', *POLICIES, 'launch'):
        shipped = {path.name for path in (ROOT / folder).glob('*.*')}
        assert {path.name for path in (share / folder).glob('*.*')} >= shipped, folder
    done = of_the_wheel(installed, 'doctor')
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(share / 'config') in done.stdout


@pytest.mark.process
def test_its_version_can_be_asked(installed: Path) -> None:
    (metadata,) = installed.glob('bt_executive-*.dist-info')
    done = of_the_wheel(installed, '--version')
    number = metadata.name.removeprefix('bt_executive-').removesuffix('.dist-info')
    assert done.stdout == f'bt-executive {number}\n'


@pytest.mark.process
def test_each_command_that_pip_installs_can_be_typed(installed: Path) -> None:
    folder = installed / 'bin'
    assert {path.name for path in folder.iterdir()} == {'bt-executive', *OF_SPEC_5}
    for program in sorted(folder.iterdir()):
        done = subprocess.run(
            [program, '--help'],
            cwd=installed,
            env={'PATH': '/nonexistent', 'HOME': str(installed), 'PYTHONPATH': str(installed)},
            capture_output=True,
            text=True,
            timeout=250,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.startswith(f'usage: {program.name} '), done.stdout
