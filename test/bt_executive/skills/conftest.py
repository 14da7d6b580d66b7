"""Configurations whose skills.yaml is changed by a test."""

from __future__ import annotations

from collections.abc import Callable
import copy
from functools import cache
import json
from pathlib import Path
import shutil
from typing import Any

import pytest
import yaml

from rover_common.config.load import default_folder, load_config
from rover_common.config.settings import Config

Change = Callable[[dict[str, Any]], None]


def lamp(**changes: Any) -> dict[str, Any]:
    """A skill over a service that is not ours."""
    entry = {
        'description': 'Switch the lamp.',
        'interface_type': 'ros2_service',
        'endpoint': {'name': '/lamp', 'type': 'std_srvs/srv/SetBool'},
        'args_schema': {'type': 'object', 'properties': {'data': {'type': 'boolean'}}},
        'resources_required': [],
        'preconditions': [],
        'preemptible': True,
        'cancel_supported': False,
        'timeout_s': 5.0,
        'idempotent': True,
        'autonomy': 'auto',
        'error_map': {},
        'result': {'ok': 'success', 'reason': 'message'},
    }
    return entry | changes


@pytest.fixture(name='lamp')
def _lamp() -> Callable[..., dict[str, Any]]:
    return lamp


@cache
def shipped() -> dict[str, Any]:
    """The content of skills.yaml; whoever changes it takes a copy."""
    content: dict[str, Any] = yaml.safe_load((default_folder() / 'skills.yaml').read_text('utf-8'))
    return content


@pytest.fixture
def configured(tmp_path: Path) -> Callable[[Change], Config]:
    """Loads the shipped configuration after `change` was made to the content of skills.yaml."""
    folder = tmp_path / 'config'
    shutil.copytree(default_folder(), folder)

    def load(change: Change) -> Config:
        content = copy.deepcopy(shipped())
        change(content)
        text = json.dumps(content)  # JSON is YAML
        (folder / 'skills.yaml').write_text(text, encoding='utf-8')
        return load_config(folder)

    return load
