"""The project's own wheel, in a folder without the repository."""

from __future__ import annotations

import os
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
    folder.mkdir()
    build = f'from setuptools.build_meta import build_wheel; build_wheel({str(folder)!r})'
    subprocess.run([sys.executable, '-c', build], cwd=ROOT, check=True, timeout=250)  # as pip does
    pip: list[Any] = [sys.executable, '-m', 'pip', '--disable-pip-version-check', '--quiet']
    (wheel,) = folder.glob('bt_executive-*-py3-none-any.whl')
    install = [*pip, 'install', '--no-deps', '--no-compile', '--target', folder / 'site', wheel]
    subprocess.run(install, check=True, timeout=250)


EACH_HELP = """
import runpy, sys
for program in sys.argv[1:]:
    sys.argv[:] = [program, '--help']
    try:
        runpy.run_path(program, run_name='__main__')
    except SystemExit as ended:
        assert not ended.code, program
"""


def of_the_wheel(site: Path, *command: Any) -> str:
    """What a program of the wheel prints, with no compiler and no repository around."""
    done = subprocess.run(
        command,
        cwd=site,
        env={'PATH': '/nonexistent', 'HOME': str(site), 'PYTHONPATH': str(site), 'COLUMNS': '300'},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.process
def test_the_wheel_has_all_of_the_project(installed: Path) -> None:
    share = installed / 'share' / 'bt_executive'
    for folder in ('config', 'config/worlds', 'config/sros2', *POLICIES, 'launch'):
        shipped = {path.name for path in (ROOT / folder).glob('*.*')}
        assert {path.name for path in (share / folder).glob('*.*')} >= shipped, folder
    report = of_the_wheel(installed, sys.executable, '-m', 'bt_executive', 'doctor')
    assert str(share / 'config') in report


@pytest.mark.process
def test_its_version_can_be_asked(installed: Path) -> None:
    (metadata,) = installed.glob('bt_executive-*.dist-info')
    number = metadata.name.removeprefix('bt_executive-').removesuffix('.dist-info')
    program = installed / 'bin' / 'bt-executive'
    assert of_the_wheel(installed, program, '--version') == f'bt-executive {number}\n'


@pytest.mark.process
def test_each_command_that_pip_installs_can_be_typed(installed: Path) -> None:
    programs = sorted((installed / 'bin').iterdir())
    assert {path.name for path in programs} == {'bt-executive', *OF_SPEC_5}
    assert all(os.access(path, os.X_OK) for path in programs)
    helps = of_the_wheel(installed, sys.executable, '-c', EACH_HELP, *programs)
    for program in programs:
        assert f'usage: {program.name} ' in helps
