"""Bounds the journal: goals that have ended are forgotten, the oldest first.

What is open stays, whatever its age: goals without an end, calls without a last word, and the
latest mode with its latch. What belongs to no goal goes with the goals of its time.
"""

from __future__ import annotations

from dataclasses import dataclass
import sqlite3

from bt_executive.core.calls import TERMINAL
from bt_executive.journal.rows import all_tables

MEGABYTE = 1_000_000
DAY_S = 86_400.0
# Holds for a row of `calls` that has no terminal entry.
CALL_IS_OPEN = (
    'NOT EXISTS (SELECT 1 FROM call_changes AS later WHERE later.session_id = calls.session_id '
    'AND later.entry > calls.entry '
    f'AND later.state IN ({", ".join(repr(state.value) for state in TERMINAL)}))'
)
_OLDEST = (
    'SELECT goal_id, entry, system_s FROM goal_ends WHERE NOT EXISTS '
    f'(SELECT 1 FROM calls WHERE calls.goal_id = goal_ends.goal_id AND {CALL_IS_OPEN}) '
    'ORDER BY entry LIMIT 1'
)
_LIFE_HAS_NO_GOAL = (
    'life < (SELECT max(life) FROM lives) '
    'AND life < coalesce((SELECT min(life) FROM goals), life + 1)'
)
# Of each table, which rows of no goal may go when they are old enough; `calls` stands first.
_MAY_GO = {
    'calls': f'NOT {CALL_IS_OPEN}',
    'call_changes': 'NOT EXISTS (SELECT 1 FROM calls '
    'WHERE calls.session_id = call_changes.session_id)',
    'modes': 'entry < (SELECT max(entry) FROM modes)',
    'lives': f'{_LIFE_HAS_NO_GOAL} '
    'AND entry <> coalesce((SELECT max(entry) FROM lives WHERE fresh), 0)',
    'life_ends': _LIFE_HAS_NO_GOAL,
}


@dataclass
class Retention:
    """How long and how much is kept. `due`: there may be something to forget."""

    keep_days: float
    max_mb: float
    due: bool = True

    def make_room(self, connection: sqlite3.Connection, system_s: float) -> str | None:
        """Forgets one goal, in one transaction; None: nothing more is to be forgotten.

        Raises:
            sqlite3.Error: It could not be done; the transaction is open.
        """
        oldest = connection.execute(_OLDEST).fetchone()
        if oldest is None or not self._is_to_go(connection, system_s - oldest[2]):
            self.due = False
            return None
        goal_id, entry, _ = oldest
        connection.execute('BEGIN IMMEDIATE')
        for table in all_tables():
            connection.execute(f'DELETE FROM {table.name} WHERE goal_id = ?', (goal_id,))
        _forget_what_has_no_goal(connection, entry)
        connection.execute('COMMIT')
        connection.executescript('PRAGMA incremental_vacuum')  # execute() would free one page
        return str(goal_id)

    def _is_to_go(self, connection: sqlite3.Connection, age_s: float) -> bool:
        too_old = age_s > self.keep_days * DAY_S
        return too_old or size_bytes(connection) > self.max_mb * MEGABYTE


def size_bytes(connection: sqlite3.Connection) -> int:
    """What the file holds, without its free pages."""
    pages, free, size = (
        int(connection.execute(f'PRAGMA {name}').fetchone()[0])
        for name in ('page_count', 'freelist_count', 'page_size')
    )
    return (pages - free) * size


def _forget_what_has_no_goal(connection: sqlite3.Connection, entry: int) -> None:
    """Up to the oldest goal that is left, or up to `entry` if there is none."""
    (oldest,) = connection.execute('SELECT min(entry) FROM goals').fetchone()
    names = dict.fromkeys((*_MAY_GO, *(table.name for table in all_tables())))
    for name in names:
        connection.execute(
            f"DELETE FROM {name} WHERE goal_id = '' AND entry < ? AND {_MAY_GO.get(name, '1')}",
            (entry if oldest is None else oldest,),
        )
