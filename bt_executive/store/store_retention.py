"""Retention: deletes the traces of ended goals, the oldest first.

Checkpoints in `parts` and the trace of an open goal stay, whatever their age. Entries that belong
to no goal are deleted with the goals of their time. Inputs are deleted by runs, except those of
the latest run.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
import sqlite3

MEGABYTE = 1_000_000
DAY_S = 86_400.0
INPUTS_AT_ONCE = 2_000  # deleted in one transaction
AT_ONCE = 50  # entries of no goal deleted in one transaction
_OLDEST = (
    'SELECT goal_id, entry, system_s FROM trace WHERE goal_end IS NOT NULL ORDER BY entry LIMIT 1'
)
# Up to the first entry of the oldest remaining goal, or to the end of the deleted one.
_OF_NO_GOAL = (
    "DELETE FROM trace WHERE goal_id = '' AND entry < "
    "coalesce((SELECT entry FROM trace WHERE goal_id <> '' ORDER BY entry LIMIT 1), ?)"
)


@dataclass
class Retention:
    """Limits of age and size, for inputs and for everything else.

    `due`: whether there may be something to delete.
    """

    keep_days: float
    max_mb: float
    due: bool = True
    max_inputs_mb: float = math.inf

    def delete_oldest(self, connection: sqlite3.Connection, system_s: float) -> str | None:
        """Deletes one goal in one transaction; returns its id, or None if nothing exceeds a limit.

        Inputs are deleted first. If no goal has ended, some entries that belong to no goal are
        deleted; in both cases the returned id is empty.

        Raises:
            sqlite3.Error: It failed; the transaction is open.
        """
        if self._delete_inputs(connection, system_s):
            return ''
        oldest = connection.execute(_OLDEST).fetchone() or _without_goals(connection)
        age_s = system_s - (oldest[2] or 0.0) if oldest else 0.0
        if oldest is None or not self._exceeds_trace_limits(connection, age_s):
            self.due = False
            return None
        goal_id, entry, _ = oldest
        connection.execute('BEGIN IMMEDIATE')
        if goal_id:
            connection.execute('DELETE FROM trace WHERE goal_id = ?', (goal_id,))
        connection.execute(_OF_NO_GOAL, (entry,))
        connection.execute('COMMIT')
        connection.executescript('PRAGMA incremental_vacuum')  # execute() would free one page
        return str(goal_id)

    def _exceeds_trace_limits(self, connection: sqlite3.Connection, age_s: float) -> bool:
        too_old = age_s > self.keep_days * DAY_S
        size = size_bytes(connection) - inputs_bytes(connection)
        return too_old or size > self.max_mb * MEGABYTE

    def _delete_inputs(self, connection: sqlite3.Connection, system_s: float) -> bool:
        """Deletes the oldest run, or some inputs whose run is deleted; returns False if none."""
        runs = connection.execute('SELECT run, system_s FROM runs ORDER BY run').fetchall()
        first = connection.execute('SELECT run FROM inputs ORDER BY entry LIMIT 1').fetchone()
        if first is not None and first[0] not in {run for run, _ in runs}:
            oldest = f'SELECT entry FROM inputs ORDER BY entry LIMIT {INPUTS_AT_ONCE}'
            statement = f'DELETE FROM inputs WHERE run = ? AND entry IN ({oldest})'
        elif len(runs) > 1 and self._exceeds_input_limits(
            connection, system_s - (runs[0][1] or 0.0)
        ):
            first, statement = runs[0][:1], 'DELETE FROM runs WHERE run = ?'
        else:
            return False
        connection.execute('BEGIN IMMEDIATE')
        connection.execute(statement, first)
        connection.execute('COMMIT')
        connection.executescript('PRAGMA incremental_vacuum')
        return True

    def _exceeds_input_limits(self, connection: sqlite3.Connection, age_s: float) -> bool:
        too_old = age_s > self.keep_days * DAY_S
        return too_old or inputs_bytes(connection) > self.max_inputs_mb * MEGABYTE


def _without_goals(connection: sqlite3.Connection) -> tuple[str, int, float | None] | None:
    """Return the end of the oldest entries that belong to no goal, as of an idle executive.

    None: there are fewer than `AT_ONCE`, or the oldest one belongs to an open goal.
    """
    query = f'SELECT goal_id, entry, system_s FROM trace ORDER BY entry LIMIT {AT_ONCE}'
    rows = connection.execute(query).fetchall()
    if len(rows) < AT_ONCE or rows[0][0]:
        return None
    return '', rows[-1][1], rows[-1][2]


def inputs_bytes(connection: sqlite3.Connection) -> int:
    """Return the size of all inputs in bytes."""
    return int(connection.execute('SELECT total(inputs_bytes) FROM runs').fetchone()[0])


def size_bytes(connection: sqlite3.Connection) -> int:
    """Return the size of the file without free pages, in bytes."""
    pages, free, size = (
        int(connection.execute(f'PRAGMA {name}').fetchone()[0])
        for name in ('page_count', 'freelist_count', 'page_size')
    )
    return (pages - free) * size
