"""Configurations whose robot.yaml is changed by a test."""

from __future__ import annotations

from collections.abc import Callable
import copy
from functools import cache
import json
from pathlib import Path
from typing import Any

import pytest

from rover_common.config import robot_file
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import Config
from rover_common.config.yaml_text import read_yaml

Change = Callable[[dict[str, Any]], None]


def lamp(**changes: Any) -> dict[str, Any]:
    """A skill over a service that is not ours."""
    entry = {
        'description': 'Switch the lamp.',
        'service': {'name': '/lamp', 'type': 'std_srvs/srv/SetBool'},
        'args': {'data': {'type': 'boolean', 'optional': True}},
        'timeout_s': 5.0,
        'idempotent': True,
        'result': {'ok': 'success', 'reason': 'message'},
    }
    return entry | changes


@pytest.fixture(name='lamp')
def _lamp() -> Callable[..., dict[str, Any]]:
    return lamp


@cache
def shipped() -> dict[str, Any]:
    """The content of robot.yaml; whoever changes it takes a copy."""
    return robot_file.read_file(default_folder() / 'robot.yaml', robot_file._TYPES_OF_KEYS)


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Change], Config]:
    """Loads the shipped configuration after `change` was made to the content of robot.yaml.

    The changed file is JSON, which is YAML; it is read as JSON, in a tenth of the time.
    """
    written: set[str] = set()

    def read(text: str, wanted: Any) -> Any:
        return json.loads(text) if text in written else read_yaml(text, wanted)

    monkeypatch.setattr(robot_file, 'read_yaml', read)
    folder = tmp_path / 'config'
    folder.mkdir()
    for each in default_folder().iterdir():  # a copy would have 8 MB of examples
        if each.name != 'robot.yaml':
            (folder / each.name).symlink_to(each)

    def load(change: Change) -> Config:
        content = copy.deepcopy(shipped())
        change(content)
        text = json.dumps(content)
        written.add(text)
        (folder / 'robot.yaml').write_text(text, encoding='utf-8')
        return load_config(folder)

    return load
