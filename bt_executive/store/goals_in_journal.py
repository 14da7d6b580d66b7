"""Overview of the goals in a store: the ended ones of its trace, and the open ones."""

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
    """One goal. `status`: its outcome if it has ended, else PENDING, ACTIVE or PARKED."""

    goal_id: str
    goal: str
    status: str
    ended: bool
    steps: int
    received_s: float | None


def latest_goals(connection: sqlite3.Connection, last: int) -> tuple[JournalGoal, ...]:
    """Return the latest goals, oldest first. `last`: their maximum number.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    ends = latest_entries(connection, 'goal_end IS NOT NULL', last)
    goals = [_ended(connection, end) for end in ends]
    goals += _open(connection, read_parts(connection))
    goals.sort(key=lambda goal: goal.received_s or 0.0)
    return tuple(goals[-last:])


def find_goal_ids(connection: sqlite3.Connection, prefix: str) -> tuple[str, ...]:
    """Return the ids of goals with a prefix; an empty one matches all."""
    rows = connection.execute(
        "SELECT DISTINCT goal_id FROM trace WHERE goal_id <> '' UNION "
        'SELECT substr(part, ?) FROM parts WHERE part LIKE ?',
        (len(GOAL) + 1, f'{GOAL}%'),
    )
    return tuple(str(row[0]) for row in rows if str(row[0]).startswith(prefix))


def _ended(connection: sqlite3.Connection, end: SavedEntry) -> JournalGoal:
    summary = (end.value.get('data') or {}).get('goal_ended') or {}
    query = 'SELECT system_s FROM trace WHERE goal_id = ? ORDER BY entry LIMIT 1'
    (received_s,) = connection.execute(query, (end.goal_id,)).fetchone()
    text, steps = str(summary.get('goal', '')), int(summary.get('steps', 0))
    return JournalGoal(end.goal_id, text, str(end.goal_end), True, steps, received_s)


def _open(connection: sqlite3.Connection, parts: Mapping[str, SavedPart]) -> Iterator[JournalGoal]:
    for name, part in parts.items():
        if name.startswith(GOAL):
            goal_id, task = name.removeprefix(GOAL), part.value
            progress = parts.get(PROGRESS + goal_id)
            yield JournalGoal(
                goal_id,
                _title(task),
                str(task['status']),
                False,
                int(progress.value['steps']) if progress else 0,
                _received_s(connection, part),
            )


def _title(task: Mapping[str, Any]) -> str:
    title = format_call(task['tool'], task['arguments']) if task['tool'] else task['goal']
    return f'{title} (priority {task["priority"]})' if task['priority'] else str(title)


def _received_s(connection: sqlite3.Connection, part: SavedPart) -> float | None:
    query = 'SELECT min(system_s) FROM trace WHERE goal_id = ?'
    (received_s,) = connection.execute(query, (part.name.removeprefix(GOAL),)).fetchone()
    return part.at.system_s if received_s is None else received_s
