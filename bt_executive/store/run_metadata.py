"""The metadata of one process of the executive, stored in run.json of its run folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
import json
from pathlib import Path
from typing import Any

from bt_executive.store.atomic_write import write_whole
from bt_executive.store.run_configuration import without_secrets
from bt_executive.store.run_files import read_run_file
from rover_common.config.settings import Config
from rover_common.json_values import read_json_object

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
