"""How the latest goals of a journal ended, for clients that have not heard it yet."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from bt_executive.core.journal_records import GoalEnded
from bt_executive.journal.entries import entries_of_kind
from bt_executive.journal.faults import FILE_ERRORS
from bt_executive.journal.opening import open_for_reading
from bt_executive.journal.rows import DamagedRowError
from rover_common.errors import JournalError


def latest_ends(path: Path, most: int) -> tuple[GoalEnded, ...]:
    """The ends of the goals that ended last, oldest first; none if they cannot be read."""
    latest = 'entry IN (SELECT entry FROM goal_ends ORDER BY entry DESC LIMIT ?)'
    try:
        with closing(open_for_reading(path)) as connection:
            found = entries_of_kind(connection, GoalEnded, latest, most)
            return tuple(entry.record for entry in found)
    except (JournalError, DamagedRowError, *FILE_ERRORS):
        return ()
