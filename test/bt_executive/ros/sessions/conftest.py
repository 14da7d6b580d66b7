"""The executive's core with the puppets' skills: servers that misbehave, as real processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import shutil
from typing import Any

from puppet_skills import ENTRIES, PATIENT
import pytest

from bt_executive.config import default_folder, load_config
from bt_executive.settings import Config


@pytest.fixture
def config(tmp_path: Path, request: pytest.FixtureRequest) -> Config:
    """The shipped configuration with two skills of the puppets'.

    Times are long, because the first request to a server that has just been started may take
    seconds (DDS repeats what was not heard). A test that waits for them to pass is `hasty`.
    """
    folder = tmp_path / 'config'
    shutil.copytree(default_folder(), folder)
    with (folder / 'skills.yaml').open('a', encoding='utf-8') as file:
        file.write(ENTRIES)
    times = getattr(request, 'param', PATIENT)
    soon = ('executive.sessions.cancel_repeat_s=0.2', 'executive.sessions.lost_after_s=0.2')
    return load_config(folder, [*times, *soon, 'guards.server_wait_s=12.0'])


@pytest.fixture
def it(core: Callable[[Config], Any], config: Config) -> Any:
    return core(config)
