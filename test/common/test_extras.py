"""One table says what to type for a missing part, and what it says is typed here."""

from __future__ import annotations

from configparser import ConfigParser
from importlib.metadata import PackageNotFoundError, requires, version
import os
from pathlib import Path
import re
import shlex
import subprocess
import sys

from packaging.requirements import Requirement
import pytest

from rover_common import extras
from rover_common.extras import EXTRAS, OURS, ROOT, how_to_install, missing_modules

# `make setup` leaves clusters and models out.
SET_UP = [extra for extra in EXTRAS if extra not in ('local', 'ray')]
TYPED = re.compile(r'run `(.+)`')
INSTALLED = pytest.mark.skipif(not extras.is_checkout(), reason='the environment of make alone')


def typed(extra: str) -> list[str]:
    match = TYPED.search(how_to_install(extra))
    assert match is not None
    return shlex.split(match[1])


@pytest.fixture
def in_wheels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, 'is_checkout', lambda: False)


@pytest.fixture
def on_a_distribution(monkeypatch: pytest.MonkeyPatch, in_wheels: None) -> None:
    monkeypatch.setattr(extras, 'is_distribution', lambda: True)
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')


def test_the_table_has_every_extra_of_setup_cfg() -> None:
    setup = ConfigParser()
    setup.read(ROOT / 'setup.cfg', encoding='utf-8')
    assert set(EXTRAS) == {*setup['options.extras_require']} - {'interfaces', 'test'}


@INSTALLED
@pytest.mark.parametrize('extra', SET_UP)
def test_an_installed_extra_is_found_in_the_versions_that_it_requires(extra: str) -> None:
    assert missing_modules(extra) == ()
    for each in map(Requirement, extras.requirements_of(extra)):
        assert version(each.name) in each.specifier


@INSTALLED
@pytest.mark.process
@pytest.mark.parametrize('extra', ['memory'])
def test_make_knows_what_is_typed_in_a_checkout(
    extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    command = typed(extra)
    assert command[:3] == ['make', '-C', str(ROOT)]
    dry = subprocess.run([*command, '--dry-run'], capture_output=True, text=True, check=True)
    assert f'.ci/set_up.py extras {extra}\n' in dry.stdout
    script, setup = ROOT / '.ci/requirements.py', ROOT / 'setup.cfg'
    listed = [sys.executable, str(script), str(setup), *EXTRAS]
    subprocess.run(listed, capture_output=True, check=True)
    monkeypatch.chdir(ROOT)
    assert typed(extra) == ['make', 'extras', f'NAMES={extra}']


def folder_of_wheels() -> list[Path]:
    """The cache of make, which has compiled our interface packages: one folder for each."""
    home = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return [path.parent for path in Path(home, 'bt_executive', 'wheels').glob('*/*.whl')]


@INSTALLED
@pytest.mark.process
def test_pip_takes_what_is_typed_beside_wheels(in_wheels: None) -> None:
    """Without an index: of what is installed, and for our own packages of our wheels alone."""
    own: list[str] = []
    for extra in EXTRAS:
        command = typed(extra)
        ours = [each for each in extras.requirements_of(extra) if OURS.match(each)]
        assert ('--find-links' in command) is bool(ours)
        assert command[:4] == [sys.executable, '-m', 'pip', 'install']
        assert command[-1] == f'bt_executive[{extra}]'
        own += ours
    dry = [*command[:4], '--quiet', '--dry-run', '--no-index', '--no-deps']
    subprocess.run([*dry, f'bt_executive[{",".join(SET_UP)}]'], capture_output=True, check=True)
    links = [f'--find-links={folder}' for folder in folder_of_wheels()]
    if links:
        alone = [*dry, '--ignore-installed', *links, *own]
        subprocess.run(alone, capture_output=True, check=True)


@INSTALLED
@pytest.mark.parametrize('extra', EXTRAS)
def test_on_a_distribution_our_packages_come_from_there(
    extra: str, on_a_distribution: None
) -> None:
    words = how_to_install(extra)
    assert '+bt' not in words
    assert f'bt_executive[{extra}]' not in words
    listed = [each.partition(';') for each in requires('bt_executive') or []]
    for requirement in [need.strip() for need, _, mark in listed if f'"{extra}"' in mark]:
        name = re.split(r'[\[<>=~]', requirement)[0]
        ours = OURS.match(requirement)
        assert (f'ros-jazzy-{name.replace("_", "-")}' if ours else requirement) in words


def test_without_metadata_the_modules_are_named(
    on_a_distribution: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_name: str) -> list[str]:
        raise PackageNotFoundError

    monkeypatch.setattr(extras, 'requires', none)
    assert typed('memory-page')[-1] == 'plotly'


@pytest.mark.slow
def test_nobody_else_says_how_to_install_an_extra() -> None:
    own = ROOT / 'common/rover_common/extras.py'
    wrong = re.compile(r"pip install '?bt_executive\[|make extras NAMES")
    files = [
        path
        for folder in ('adapter', 'bt_executive', 'common', 'memory', 'sim', 'vision', 'viz')
        for path in (ROOT / folder).rglob('*.py')
        if path != own and wrong.search(path.read_text(encoding='utf-8'))
    ]
    assert files == []
