"""The summaries of a run's goals: a line of goals.jsonl for each, the latest in summary.json.

summary.json is rewritten with the latest `MAX_GOALS` of them, so that the cost does not grow; at
the end of the run, with all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
import json
from pathlib import Path
from typing import Any

from bt_executive.store.atomic_file_replacement import write_whole
from bt_executive.store.json_lines_file import JsonLinesFile
from bt_executive.store.run_file_lines_and_damage import read_lines
from bt_executive.store.run_folder_formats import (
    GOALS,
    GOALS_FILE,
    SUMMARY_FILE,
)
from rover_common.errors import RecordingError

MAX_GOALS = 100
GoalSummary = dict[str, Any]


class SummaryFile:
    """Writes the entry of each goal; those of earlier processes of the run stay.

    Args:
        folder: The run folder.
        lines: goals.jsonl in that folder.
    """

    def __init__(self, folder: Path, lines: JsonLinesFile) -> None:
        self._folder = folder
        self._lines = lines
        self._count = 0
        self._latest: deque[GoalSummary] = deque(maxlen=MAX_GOALS)
        for goal in _read_goals(folder):
            self._append(goal)

    def add(self, goal: GoalSummary) -> None:
        """Adds the entry of a goal.

        Raises:
            OSError: summary.json cannot be written; the previous one is intact.
        """
        self._lines.write(json.dumps(goal, ensure_ascii=False, separators=(',', ':')))
        self._append(goal)
        self._write(list(self._latest))

    def finish(self) -> None:
        """Writes summary.json with every goal, at the end of the run.

        Raises:
            OSError: It cannot be written; the previous one is intact.
        """
        if self._count > len(self._latest):
            goals = list(_read_goals(self._folder))
            latest, missing = list(self._latest), self._count - len(goals)
            # Some are missing if goals.jsonl was full.
            self._write([*goals, *latest[max(0, MAX_GOALS - missing) :]])

    def _append(self, goal: GoalSummary) -> None:
        self._count += 1
        self._latest.append(goal)

    def _write(self, goals: Sequence[GoalSummary]) -> None:
        content = {**self._latest[-1], 'goal_count': self._count, 'goals': list(goals)}
        text = json.dumps(content, ensure_ascii=False, indent=2)
        write_whole(self._folder / SUMMARY_FILE, (text + '\n').encode())


def _read_goals(folder: Path) -> Iterator[GoalSummary]:
    try:
        processes = read_lines(folder / GOALS_FILE, GOALS).processes
    except RecordingError:
        return  # the first process, or an unreadable file: it begins anew
    for process in processes:
        yield from process.entries
