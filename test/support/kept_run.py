"""The folder of a run, read by a test."""

from __future__ import annotations

import json
from pathlib import Path
import threading
from typing import Any


class KeptRun:
    """What a run has kept so far."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        self._read, self._so_far = 0, list[dict[str, Any]]()
        self._reading = threading.Lock()

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json."""
        text = (self.run_dir / 'summary.json').read_text(encoding='utf-8')
        told: dict[str, Any] = json.loads(text)
        return told

    def events(self, **fields: Any) -> list[dict[str, Any]]:
        """Events of the trace so far that have these fields."""
        return [
            event
            for event in self._all_events()
            if all(event.get(key) == value for key, value in fields.items())
        ]

    def _all_events(self) -> list[dict[str, Any]]:
        """The trace so far, of which only what is new is read. Its end may be half written."""
        trace = self.run_dir / 'trace.jsonl'
        with self._reading:
            if trace.exists():
                with trace.open('rb') as file:
                    file.seek(self._read)
                    new, end, _half_written = file.read().rpartition(b'\n')
                self._read += len(new) + len(end)
                lines = new.decode('utf-8', errors='replace').split('\n') if end else []
                events = map(json.loads, lines)
                self._so_far += [each for each in events if 'kind' in each]  # no headers
            return list(self._so_far)

    def goal_ends(self) -> list[dict[str, Any]]:
        """What the trace tells of each goal that has ended so far."""
        told = [event.get('data') or {} for event in self.events()]
        return [data['goal_ended'] for data in told if 'goal_ended' in data]
