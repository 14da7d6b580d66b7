"""The facts about a process of the executive that are kept with its recording, in run.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
import json
from pathlib import Path

from bt_executive.store.atomic_write import write_whole
from bt_executive.store.run_configuration import without_secrets
from rover_common.config.settings import Config

RUN_FILE = 'run.json'


@dataclass(frozen=True)
class RunFacts:
    """What one process of the executive was started with.

    Attributes:
        run_id: One per process.
        overrides: The `--set` arguments.
        versions: Name → version of what runs.
        journal: The file in which the inputs of its ticks are.
        began: When the whole run did, in ROS s; None: not known.
    """

    run_id: str
    config: Config
    overrides: Sequence[str] = ()
    versions: dict[str, str] = field(default_factory=dict)
    journal: str = ''
    began: float | None = None


def save_run_facts(folder: Path, facts: RunFacts, started_at: str) -> None:
    """Writes run.json. `started_at`: UTC, ISO 8601, by the wall clock.

    Raises:
        OSError: The folder cannot be written.
    """
    content = {
        'run_id': facts.run_id,
        'started_at': started_at,
        'overrides': [without_secrets(each) for each in facts.overrides],
        'versions': facts.versions,
        'journal': facts.journal,
        'began': facts.began,
    }
    text = json.dumps(content, ensure_ascii=False, indent=2)
    write_whole(folder / RUN_FILE, (text + '\n').encode())
