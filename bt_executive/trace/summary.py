"""summary.json: the latest goal's figures, and those of every goal of the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bt_executive.trace.whole_file import write_whole

FILE = 'summary.json'


class SummaryFile:
    """Rewrites the file after each goal; the goals of an earlier life of this run are kept."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._goals = _goals_so_far(self._path)

    def add(self, goal: dict[str, Any]) -> None:
        """Adds a goal's entry.

        Raises:
            OSError: The file cannot be written; the one before is left whole.
        """
        self._goals.append(goal)
        text = json.dumps({**goal, 'goals': self._goals}, ensure_ascii=False, indent=2)
        write_whole(self._path, (text + '\n').encode())


def _goals_so_far(path: Path) -> list[dict[str, Any]]:
    try:
        goals = json.loads(path.read_text(encoding='utf-8'))['goals']
    except (OSError, ValueError, KeyError, TypeError):
        return []  # the first life, or a file that says nothing: it begins anew
    return goals if isinstance(goals, list) else []
