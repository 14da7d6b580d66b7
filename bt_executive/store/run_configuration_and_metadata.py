"""What a run was started with: its configuration without secrets, and the metadata in run.json.

The configuration is YAML that `--config` can load. API keys come from the environment and are
never part of it. User, password and query of URLs are blanked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
import hashlib
import json
from pathlib import Path
from typing import Any

from bt_executive.store.atomic_file_replacement import write_whole
from bt_executive.store.run_file_lines_and_damage import read_run_file
from rover_common.config.config_as_files import files_of
from rover_common.config.settings import Config
from rover_common.config.yaml_text import write_yaml
from rover_common.json_values import read_json_object
from rover_common.url_secrets import without_secrets

FOLDER = 'config'
DIGEST_CHARS = 16


def save_configuration(config: Config, folder: Path) -> None:
    """Writes one YAML file per section, and one for the robot's world, into `folder/config/`.

    Raises:
        OSError: The folder cannot be written.
    """
    for name, text in _texts(config).items():
        write_whole(folder / FOLDER / name, text)


def digest_of(config: Config) -> str:
    """Return the digest of the files that `save_configuration` writes."""
    return _digest({name: text for name, text in _texts(config).items() if '/' not in name})


def saved_digest(folder: Path) -> str:
    """Return the digest of the files in a run folder; equals `digest_of` of the saved one.

    Worlds are left out: those of earlier processes stay in the folder.

    Raises:
        OSError: They cannot be read.
    """
    return _digest({path.name: read_run_file(path) for path in (folder / FOLDER).glob('*.yaml')})


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {key: _without_secrets(each) for key, each in value.items()}
    return [_without_secrets(item) for item in value] if isinstance(value, list) else value


def _texts(config: Config) -> dict[str, bytes]:
    """Name of each file below `config/` → its content."""
    return {
        f'{path}.yaml': _yaml(json.dumps(_without_secrets(content)))
        for path, content in files_of(config).items()
    }


@lru_cache(maxsize=64)
def _yaml(content: str) -> bytes:
    """Convert JSON to YAML. Cached: writing YAML is slow, and each run needs it twice."""
    return write_yaml(json.loads(content)).encode()


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, text in sorted(files.items()):
        digest.update(f'{name}\0{len(text)}\0'.encode() + text)
    return digest.hexdigest()[:DIGEST_CHARS]


RUN_FILE = 'run.json'


@dataclass(frozen=True)
class RunMetadata:
    """The parameters with which one process of the executive was started.

    Attributes:
        run_id: Unique for each process.
        overrides: The `--set` arguments.
        versions: Package or program → version.
        journal: The file that holds the inputs of its ticks.
        began: Begin of the whole run in ROS s; None: not known.
    """

    run_id: str
    config: Config
    overrides: Sequence[str] = ()
    versions: dict[str, str] = field(default_factory=dict)
    journal: str = ''
    began: float | None = None


def save_run_metadata(folder: Path, metadata: RunMetadata, started_at: str) -> None:
    """Writes run.json. `started_at`: UTC, ISO 8601, by the wall clock.

    Raises:
        OSError: The folder cannot be written.
    """
    content = {
        'run_id': metadata.run_id,
        'started_at': started_at,
        'overrides': [without_secrets(each) for each in metadata.overrides],
        'versions': metadata.versions,
        'journal': metadata.journal,
        'began': metadata.began,
    }
    text = json.dumps(content, ensure_ascii=False, indent=2)
    write_whole(folder / RUN_FILE, (text + '\n').encode())


def read_run_metadata(folder: Path) -> dict[str, Any] | None:
    """Read run.json; return None if it is missing or damaged."""
    try:
        return read_json_object(read_run_file(folder / RUN_FILE).decode('utf-8-sig'))
    except (OSError, ValueError):
        return None
