"""The executive's core with the puppets' skills: servers that misbehave, as real processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from puppet_skills import ENTRIES
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


@pytest.fixture
def it(core: Callable[[Config], Any], config: Config) -> Any:
    return core(config)
