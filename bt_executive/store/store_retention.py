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
SET_FROM_S = 1_577_836_800.0  # 2020-01-01; a clock that shows less is not set
_OLDEST = (
    'SELECT goal_id, entry, system_s FROM trace WHERE goal_end IS NOT NULL ORDER BY entry LIMIT 1'
)
# Up to the first entry of the remaining goals that have ended, or to the end of the deleted one.
# An open goal, which may be as old as the file, keeps nothing but its own entries.
_OF_NO_GOAL = (
    "DELETE FROM trace WHERE goal_id = '' AND entry < coalesce((SELECT entry FROM trace AS one "
    "WHERE goal_id <> '' AND EXISTS (SELECT 1 FROM trace WHERE goal_id = one.goal_id "
    'AND goal_end IS NOT NULL) ORDER BY entry LIMIT 1), ?)'
)
_NEXT_TIME = (
    'SELECT system_s FROM trace WHERE entry > ? AND system_s BETWEEN ? AND ? '
    'ORDER BY entry LIMIT 1'
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
        if oldest is None or not (
            self._is_too_old(connection, oldest[1], oldest[2], system_s)
            or size_bytes(connection) - inputs_bytes(connection) > self.max_mb * MEGABYTE
        ):
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

    def _delete_inputs(self, connection: sqlite3.Connection, system_s: float) -> bool:
        """Deletes the oldest run, or some inputs whose run is deleted; returns False if none."""
        runs = connection.execute('SELECT run, entry, system_s FROM runs ORDER BY run').fetchall()
        first = connection.execute('SELECT run FROM inputs ORDER BY entry LIMIT 1').fetchone()
        if first is not None and first[0] not in {run for run, *_ in runs}:
            oldest = f'SELECT entry FROM inputs ORDER BY entry LIMIT {INPUTS_AT_ONCE}'
            statement = f'DELETE FROM inputs WHERE run = ? AND entry IN ({oldest})'
        elif len(runs) > 1 and (
            self._is_too_old(connection, runs[0][1], runs[0][2], system_s)
            or inputs_bytes(connection) > self.max_inputs_mb * MEGABYTE
        ):
            first, statement = runs[0][:1], 'DELETE FROM runs WHERE run = ?'
        else:
            return False
        connection.execute('BEGIN IMMEDIATE')
        connection.execute(statement, first)
        connection.execute('COMMIT')
        connection.executescript('PRAGMA incremental_vacuum')
        return True

    def _is_too_old(
        self, connection: sqlite3.Connection, entry: int, stamp_s: float | None, system_s: float
    ) -> bool:
        """Return whether an entry is older than the limit at the time of day `system_s`.

        A stamp of a clock that was not set yet, or was ahead, says nothing: the entry is as old as
        the next one of the trace whose stamp may be true, and new if there is none.
        """
        if stamp_s is None or not SET_FROM_S <= stamp_s <= system_s:
            found = connection.execute(_NEXT_TIME, (entry, SET_FROM_S, system_s)).fetchone()
            stamp_s = found[0] if found else system_s
        return system_s - stamp_s > self.keep_days * DAY_S


def _without_goals(connection: sqlite3.Connection) -> tuple[str, int, float | None] | None:
    """Return the end of the oldest entries that belong to no goal, as of an idle executive.

    None: there are fewer than `AT_ONCE`.
    """
    query = (
        "SELECT goal_id, entry, system_s FROM trace WHERE goal_id = '' "
        f'ORDER BY entry LIMIT 1 OFFSET {AT_ONCE - 1}'
    )
    found: tuple[str, int, float | None] | None = connection.execute(query).fetchone()
    return found


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
