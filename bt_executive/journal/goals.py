"""The goals of a journal at a glance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import sqlite3

from bt_executive.core.journal_records import (
    BudgetUsed,
    GoalEnded,
    GoalMoved,
    GoalReceived,
)
from bt_executive.journal.entries import entries_of_kind
from bt_executive.journal.rows import Entry, Kind, table_of


@dataclass(frozen=True)
class GoalLine:
    """One goal. None: it has not ended, not moved, not begun."""

    received: Entry[GoalReceived]
    ended: Entry[GoalEnded] | None
    moved: Entry[GoalMoved] | None
    budget: Entry[BudgetUsed] | None


def goals_of(connection: sqlite3.Connection, last: int) -> Iterator[GoalLine]:
    """The goals that came last, at most so many, oldest first.

    Raises:
        DamagedRowError, FILE_ERRORS: The file is damaged.
    """
    latest = 'entry IN (SELECT max(entry) FROM goals GROUP BY goal_id ORDER BY 1 DESC LIMIT ?)'
    for received in entries_of_kind(connection, GoalReceived, latest, last):
        goal_id = received.record.goal_id
        yield GoalLine(
            received,
            _latest(connection, GoalEnded, goal_id),
            _latest(connection, GoalMoved, goal_id),
            _latest(connection, BudgetUsed, goal_id),
        )


def goal_ids(connection: sqlite3.Connection, beginning: str) -> tuple[str, ...]:
    """The ids that begin so, in order of arrival; all of them for the empty text."""
    found = connection.execute('SELECT goal_id FROM goals ORDER BY entry')
    ids = dict.fromkeys(str(row[0]) for row in found)
    return tuple(each for each in ids if each.startswith(beginning))


def _latest(connection: sqlite3.Connection, kind: type[Kind], goal_id: str) -> Entry[Kind] | None:
    where = f'entry = (SELECT max(entry) FROM {table_of(kind).name} WHERE goal_id = ?)'
    return next(entries_of_kind(connection, kind, where, goal_id), None)
