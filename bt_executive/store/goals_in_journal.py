"""The goals of a store at a glance: a fold of the ends in its trace and of the open goals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import sqlite3
from typing import Any

from bt_executive.core.store_port import GOAL, PROGRESS
from bt_executive.store.store_rows import SavedEntry, SavedPart, latest_entries, read_parts
from rover_common.call_text import format_call


@dataclass(frozen=True)
class JournalGoal:
    """One goal. `status`: its outcome once it has ended; else PENDING, ACTIVE or PARKED."""

    goal_id: str
    goal: str
    status: str
    ended: bool
    steps: int
    received_s: float | None


def latest_goals(connection: sqlite3.Connection, last: int) -> tuple[JournalGoal, ...]:
    """Return the goals that came last, at most so many, oldest first.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    ends = latest_entries(connection, 'goal_end IS NOT NULL', last)
    lines = [_ended(connection, end) for end in ends]
    lines += _open(connection, read_parts(connection))
    lines.sort(key=lambda line: line.received_s or 0.0)
    return tuple(lines[-last:])


def find_goal_ids(connection: sqlite3.Connection, beginning: str) -> tuple[str, ...]:
    """Return the ids that begin so; all of them for the empty text."""
    found = connection.execute(
        "SELECT DISTINCT goal_id FROM trace WHERE goal_id <> '' UNION "
        'SELECT substr(part, ?) FROM parts WHERE part LIKE ?',
        (len(GOAL) + 1, f'{GOAL}%'),
    )
    return tuple(str(row[0]) for row in found if str(row[0]).startswith(beginning))


def _ended(connection: sqlite3.Connection, end: SavedEntry) -> JournalGoal:
    summary = (end.value.get('data') or {}).get('goal_ended') or {}
    query = 'SELECT system_s FROM trace WHERE goal_id = ? ORDER BY entry LIMIT 1'
    (received_s,) = connection.execute(query, (end.goal_id,)).fetchone()
    words, steps = str(summary.get('goal', '')), int(summary.get('steps', 0))
    return JournalGoal(end.goal_id, words, str(end.goal_end), True, steps, received_s)


def _open(connection: sqlite3.Connection, parts: Mapping[str, SavedPart]) -> Iterator[JournalGoal]:
    for name, part in parts.items():
        if name.startswith(GOAL):
            goal_id, task = name.removeprefix(GOAL), part.value
            progress = parts.get(PROGRESS + goal_id)
            yield JournalGoal(
                goal_id,
                _words(task),
                str(task['status']),
                False,
                int(progress.value['steps']) if progress else 0,
                _received(connection, part),
            )


def _words(task: Mapping[str, Any]) -> str:
    title = format_call(task['tool'], task['arguments']) if task['tool'] else task['goal']
    return f'{title} (priority {task["priority"]})' if task['priority'] else str(title)


def _received(connection: sqlite3.Connection, part: SavedPart) -> float | None:
    query = 'SELECT min(system_s) FROM trace WHERE goal_id = ?'
    (received_s,) = connection.execute(query, (part.name.removeprefix(GOAL),)).fetchone()
    return part.at.system_s if received_s is None else received_s
