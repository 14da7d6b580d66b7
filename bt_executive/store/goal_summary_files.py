"""The goals of a run: a line each in goals.jsonl, and summary.json for who reads one file.

A goal costs the same however many there were: summary.json is written anew with the latest
`KEPT` goals, and once with all of them when the run ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
import json
from pathlib import Path
from typing import Any

from bt_executive.store.atomic_write import write_whole
from bt_executive.store.json_lines_file import JsonLinesFile
from bt_executive.store.json_lines_reading import read_lines
from bt_executive.store.run_folder_formats import GOALS
from rover_common.errors import RecordingError

FILE = 'summary.json'
GOALS_FILE = 'goals.jsonl'
KEPT = 100

GoalSummary = dict[str, Any]


class SummaryFile:
    """Takes each goal's entry; the goals of an earlier process of this run are kept.

    Args:
        folder: Of the run.
        lines: goals.jsonl in that folder.
    """

    def __init__(self, folder: Path, lines: JsonLinesFile) -> None:
        self._folder = folder
        self._lines = lines
        self._count = 0
        self._latest: deque[GoalSummary] = deque(maxlen=KEPT)
        for goal in _goals_so_far(folder):
            self._note(goal)

    def add(self, goal: GoalSummary) -> None:
        """Adds a goal's entry.

        Raises:
            OSError: summary.json cannot be written; the one before is left whole.
        """
        self._lines.write(json.dumps(goal, ensure_ascii=False, separators=(',', ':')))
        self._note(goal)
        self._write(list(self._latest))

    def finish(self) -> None:
        """At the end of the run: writes summary.json with every goal.

        Raises:
            OSError: It cannot be written; the one before is left whole.
        """
        if self._count > len(self._latest):
            goals = list(_goals_so_far(self._folder))
            latest, missing = list(self._latest), self._count - len(goals)
            self._write([*goals, *latest[max(0, KEPT - missing) :]])  # if goals.jsonl was full

    def _note(self, goal: GoalSummary) -> None:
        self._count += 1
        self._latest.append(goal)

    def _write(self, goals: Sequence[GoalSummary]) -> None:
        content = {**self._latest[-1], 'goal_count': self._count, 'goals': list(goals)}
        text = json.dumps(content, ensure_ascii=False, indent=2)
        write_whole(self._folder / FILE, (text + '\n').encode())


def _goals_so_far(folder: Path) -> Iterator[GoalSummary]:
    try:
        processes = read_lines(folder / GOALS_FILE, GOALS).processes
    except RecordingError:
        return  # the first process, or a file that says nothing: it begins anew
    for process in processes:
        yield from process.entries
