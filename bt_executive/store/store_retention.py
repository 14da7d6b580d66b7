"""Bounds the store: the traces of goals that have ended are deleted, the oldest first.

What is open is in `parts` and stays, whatever its age, and so does the trace of a goal without an
end. What belongs to no goal is deleted with the goals of its time.
Inputs are deleted by runs, save those of the latest.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
import sqlite3

MEGABYTE = 1_000_000
DAY_S = 86_400.0
INPUTS_AT_ONCE = 2_000  # that are deleted together
AT_ONCE = 50  # entries of no goal that are deleted together
_OLDEST = (
    'SELECT goal_id, entry, system_s FROM trace WHERE goal_end IS NOT NULL ORDER BY entry LIMIT 1'
)
# Up to the first entry of the oldest goal that is left, or up to the end of the deleted one.
_OF_NO_GOAL = (
    "DELETE FROM trace WHERE goal_id = '' AND entry < "
    "coalesce((SELECT entry FROM trace WHERE goal_id <> '' ORDER BY entry LIMIT 1), ?)"
)


@dataclass
class Retention:
    """How long and how much is kept, of inputs and of all else.

    `due`: there may be something to delete.
    """

    keep_days: float
    max_mb: float
    due: bool = True
    max_inputs_mb: float = math.inf

    def delete_oldest(self, connection: sqlite3.Connection, system_s: float) -> str | None:
        """Deletes one goal, in one transaction; returns its id, None: nothing more is to go.

        It begins with inputs. Where no goal has ended, it deletes some of what belongs to no goal;
        in both cases the id is empty.

        Raises:
            sqlite3.Error: It could not be done; the transaction is open.
        """
        if self._forget_inputs(connection, system_s):
            return ''
        oldest = connection.execute(_OLDEST).fetchone() or _without_goals(connection)
        if oldest is None or not self._is_to_go(connection, system_s - (oldest[2] or 0.0)):
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

    def _is_to_go(self, connection: sqlite3.Connection, age_s: float) -> bool:
        too_old = age_s > self.keep_days * DAY_S
        size = size_bytes(connection) - inputs_bytes(connection)
        return too_old or size > self.max_mb * MEGABYTE

    def _forget_inputs(self, connection: sqlite3.Connection, system_s: float) -> bool:
        """Deletes whose inputs are the oldest, or some inputs that are nobody's any more."""
        runs = connection.execute('SELECT run, system_s FROM runs ORDER BY run').fetchall()
        first = connection.execute('SELECT run FROM inputs ORDER BY entry LIMIT 1').fetchone()
        if first is not None and first[0] not in {run for run, _ in runs}:
            chosen = f'SELECT entry FROM inputs ORDER BY entry LIMIT {INPUTS_AT_ONCE}'
            statement = f'DELETE FROM inputs WHERE run = ? AND entry IN ({chosen})'
        elif len(runs) > 1 and self._are_to_go(connection, system_s - (runs[0][1] or 0.0)):
            first, statement = runs[0][:1], 'DELETE FROM runs WHERE run = ?'
        else:
            return False
        connection.execute('BEGIN IMMEDIATE')
        connection.execute(statement, first)
        connection.execute('COMMIT')
        connection.executescript('PRAGMA incremental_vacuum')
        return True

    def _are_to_go(self, connection: sqlite3.Connection, age_s: float) -> bool:
        too_old = age_s > self.keep_days * DAY_S
        return too_old or inputs_bytes(connection) > self.max_inputs_mb * MEGABYTE


def _without_goals(connection: sqlite3.Connection) -> tuple[str, int, float | None] | None:
    """An executive that pursues nothing for years has a trace, too: some of its oldest entries.

    None: there are no more of them than that, or the oldest one is of a goal that is open.
    """
    query = f'SELECT goal_id, entry, system_s FROM trace ORDER BY entry LIMIT {AT_ONCE}'
    found = connection.execute(query).fetchall()
    if len(found) < AT_ONCE or found[0][0]:
        return None
    return '', found[-1][1], found[-1][2]


def inputs_bytes(connection: sqlite3.Connection) -> int:
    """Return how much of the file the inputs are, in bytes."""
    return int(connection.execute('SELECT total(inputs_bytes) FROM runs').fetchone()[0])


def size_bytes(connection: sqlite3.Connection) -> int:
    """Return what the file holds, without its free pages, in bytes."""
    pages, free, size = (
        int(connection.execute(f'PRAGMA {name}').fetchone()[0])
        for name in ('page_count', 'freelist_count', 'page_size')
    )
    return (pages - free) * size
