"""The folder of a run, read by a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class KeptRun:
    """What a run has kept so far."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json."""
        text = (self.run_dir / 'summary.json').read_text(encoding='utf-8')
        told: dict[str, Any] = json.loads(text)
        return told

    def events(self, **fields: Any) -> list[dict[str, Any]]:
        """Events of the trace so far that have these fields."""
        trace = self.run_dir / 'trace.jsonl'
        if not trace.exists():
            return []
        *lines, _half_written = trace.read_text(encoding='utf-8', errors='replace').split('\n')
        events = [each for each in map(json.loads, lines) if 'kind' in each]  # no headers
        return [e for e in events if all(e.get(key) == value for key, value in fields.items())]

    def goal_ends(self) -> list[dict[str, Any]]:
        """What the trace tells of each goal that has ended so far."""
        told = [event.get('data') or {} for event in self.events()]
        return [data['goal_ended'] for data in told if 'goal_ended' in data]
