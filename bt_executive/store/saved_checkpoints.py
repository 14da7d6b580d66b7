"""Reads the checkpoints of the previous run."""

from __future__ import annotations

import sqlite3

from bt_executive.core.store_port import ENDS_KEPT, GOAL, MESSAGES_KEPT, RUN, Saved
from bt_executive.store.store_rows import SavedPart, latest_entries, read_entries, read_parts


def read_saved(connection: sqlite3.Connection) -> Saved | None:
    """Read the state that an executive resumes from; None: the journal has no previous run.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    parts = read_parts(connection)
    run = parts.pop(RUN, None)
    if run is None:
        return None
    latest: SavedPart = max(parts.values(), key=lambda part: part.at.entry, default=run)
    open_goals = (name.removeprefix(GOAL) for name in parts if name.startswith(GOAL))
    messages = latest_entries(connection, "kind = 'MESSAGE'", MESSAGES_KEPT, _skip)
    ends = latest_entries(connection, 'goal_end IS NOT NULL', ENDS_KEPT, _skip)
    return Saved(
        run=run.at.run,
        run_id=run.value['run_id'],
        ended=run.value['ended'],
        parts={part.name: part.value for part in parts.values()},
        ros_s=latest.at.ros_s or 0.0,
        steps={goal_id: _steps(connection, goal_id) for goal_id in open_goals},
        messages=tuple(entry.value for entry in messages),
        ends=tuple(entry.value for entry in ends),
    )


def _skip(_sentence: str) -> None:
    """Skip a damaged message or end: no open goal depends on it."""


def _steps(connection: sqlite3.Connection, goal_id: str) -> tuple[dict[str, object], ...]:
    steps = read_entries(connection, "goal_id = ? AND kind = 'STEP'", goal_id)
    return tuple(entry.value for entry in steps)
