"""The whole effective configuration as YAML, such that `--config` loads it again. No secrets.

Keys come from the environment and are never part of it; what could still carry one, user and
password or a query in a URL, is blanked.
"""

from __future__ import annotations

from collections.abc import Sequence
import hashlib
import json
from pathlib import Path
import re
from typing import Any

import yaml

from bt_executive.recording.whole_file import write_whole
from rover_common.config.files import files_of
from rover_common.config.settings import Config

FOLDER = 'config'
RUN_FILE = 'run.json'
BLANKED = '***'
URL_SECRETS = (
    (re.compile(r'(\w+://)[^/@\s]+@'), rf'\g<1>{BLANKED}@'),
    (re.compile(r'(\w+://[^\s?]*\?)\S+'), rf'\g<1>{BLANKED}'),
)


def without_secrets(text: str) -> str:
    """The text with what a URL in it could keep secret blanked."""
    for pattern, replacement in URL_SECRETS:
        text = pattern.sub(replacement, text)
    return text


def save_configuration(config: Config, folder: Path) -> None:
    """Writes one YAML file per section, and the robot's world, into `folder/config/`.

    Raises:
        OSError: The folder cannot be written.
    """
    for path, content in _without_secrets(files_of(config)).items():
        _write(folder / FOLDER / f'{path}.yaml', content)


def digest_of(config: Config) -> str:
    """The same for a configuration and for the one that is loaded from where it was saved."""
    text = json.dumps(_without_secrets(files_of(config)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def save_run_facts(
    folder: Path, run_id: str, started_at: str, overrides: Sequence[str], versions: dict[str, str]
) -> None:
    """Writes run.json: what this life of the executive was started with.

    Raises:
        OSError: The folder cannot be written.
    """
    facts = {
        'run_id': run_id,
        'started_at': started_at,
        'overrides': [without_secrets(each) for each in overrides],
        'versions': versions,
    }
    text = json.dumps(facts, ensure_ascii=False, indent=2)
    write_whole(folder / RUN_FILE, (text + '\n').encode())


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {key: _without_secrets(each) for key, each in value.items()}
    return [_without_secrets(each) for each in value] if isinstance(value, list) else value


def _write(path: Path, content: Any) -> None:
    text = yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=99)
    write_whole(path, text.encode())
