"""The executive's core with the puppets' skills: servers that misbehave, as real processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from puppet_skills import ENTRIES
from puppeteer import Puppet
import pytest

from rover_common.config.load import load_config
from rover_common.config.settings import Config


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """The shipped configuration with two skills of the puppets'."""
    folder = tmp_path / 'config'
    folder.mkdir()
    (folder / 'robot.yaml').write_text(f'extends: curiosity\ntools:\n{ENTRIES}')
    return load_config(folder)


@pytest.fixture(scope='module')
def _kept() -> Iterator[list[Puppet]]:
    kept: list[Puppet] = []
    yield kept
    for each in kept:
        each.close()


@pytest.fixture
def kept_puppet(it: Any, _kept: list[Puppet]) -> Callable[..., Puppet]:
    """A puppet for all tests of a file that let it live."""

    def keep(kind: str, name: str, type_name: str) -> Puppet:
        if not _kept:
            _kept.append(Puppet(kind, name, type_name))
        _kept[0].meet()
        return _kept[0]

    return keep


@pytest.fixture
def puppet(puppet: Callable[..., Puppet], _kept: list[Puppet]) -> Callable[..., Puppet]:
    """Puppets of one test, and no other beside them."""
    while _kept:
        _kept.pop().close()
    return puppet


@pytest.fixture
def it(core: Callable[[Config], Any], config: Config) -> Any:
    return core(config)
