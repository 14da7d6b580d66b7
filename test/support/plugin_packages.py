"""Python packages with entry points, installed for a test without pip."""

from __future__ import annotations

from collections.abc import Mapping
from configparser import ConfigParser
from pathlib import Path

import pytest


def write_metadata(folder: Path, name: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """Writes what pip writes of a package: who looks in `folder` finds its entry points."""
    info = folder / f'{name}-0.1.0.dist-info'
    info.mkdir(parents=True)
    info.joinpath('METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n')
    text = ''.join(
        f'[{group}]\n' + ''.join(f'{each} = {value}\n' for each, value in entries.items())
        for group, entries in groups.items()
    )
    info.joinpath('entry_points.txt').write_text(text)


YARD = Path(__file__).resolve().parents[2] / 'examples' / 'yard_plugins'


def install_example(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the example's package importable, with its entry points, until the test has ended."""
    write_metadata(site, 'yard_plugins', entry_points_of(YARD / 'setup.cfg'))
    for folder in (YARD, site):
        monkeypatch.syspath_prepend(str(folder))


def entry_points_of(setup_cfg: Path) -> dict[str, dict[str, str]]:
    """The entry points that a package declares."""
    setup = ConfigParser()
    setup.read(setup_cfg, encoding='utf-8')
    declared = {}
    for group, text in setup['options.entry_points'].items():
        lines = [line.partition('=') for line in text.strip().splitlines()]
        declared[group] = {name.strip(): value.strip() for name, _, value in lines}
    return declared
